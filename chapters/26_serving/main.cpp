// Chapter 26: serving.
//
// Many requests share one model: a scheduler decides who takes part in each forward pass.
//
//   make run-26                                     all three parts
//   make run-26 ARGS="--part 1"                     one; 1 and 2 need no model
//   make run-26 ARGS="--part 3 --max-running 8"     all eight at once
//
// Look for: the dots, which are slots that nobody uses, and "0 texts differ".
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "chapters/10_generate/options.hpp"
#include "chapters/26_serving/engine.hpp"
#include "chapters/26_serving/timeline.hpp"
#include "lib/core/check.hpp"
#include "lib/core/index.hpp"
#include "lib/files/model.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/usual_options.hpp"
#include "lib/show/svg.hpp"

using namespace tbt;

namespace {

// Prompts of one token, so that only the lengths of the answers count.
const std::vector<Job> eight = {{1, 3}, {1, 9}, {1, 2}, {1, 5}, {1, 8}, {1, 2}, {1, 4}, {1, 3}};
// A and B write; the long C and the short D arrive soon after.
const std::vector<Job> with_long_prompt = {{4, 14}, {4, 14}, {96, 4, 3}, {4, 6, 4}};

void print_rows(const Timeline& timeline) {
    int slot = 0;
    for (const std::string& row : timeline.rows())
        std::printf("     slot %d  %s\n", ++slot, row.c_str());
}

double mean_first(const Timeline& timeline, std::size_t jobs) {
    double sum = 0;
    for (std::size_t j = 0; j < jobs; ++j) sum += timeline.first_token(to_int(j)) + 1;
    return sum / static_cast<double>(jobs);
}

void print_slots(const char* name, const Timeline& timeline, std::size_t jobs) {
    std::printf("   %s: %zu passes, %.0f %% of the slots held, first token after %.1f passes\n",
                name, timeline.passes.size(), 100 * timeline.busy(), mean_first(timeline, jobs));
    print_rows(timeline);
}

// A request to the model: what is asked for, in words and as options.
struct Asked {
    const char* prompt;
    const char* how;
    GenerateOptions options;
};

std::vector<Asked> eight_requests() {
    const auto asked = [](const char* prompt, const char* how, int tokens, auto set) {
        Asked a{prompt, how, {}};
        a.options.max_new_tokens = tokens;
        set(a.options);
        return a;
    };
    using O = GenerateOptions;
    return {
        asked("Once upon a time", "greedy", 12, [](O& o) { o.greedy = true; }),
        asked("The weather today is", "temperature 1.2", 36, [](O& o) { o.temperature = 1.2; }),
        asked("User: hi\nAssistant:", "stop at a full stop", 24,
              [](O& o) { o.stop_strings = {"."}; }),
        asked("The old lighthouse keeper", "top-k 5", 20, [](O& o) { o.top_k = 5; }),
        asked("Once upon a time", "the default, seed 1", 32, [](O& o) { o.seed = 1; }),
        asked("2 + 3 =", "greedy", 6, [](O& o) { o.greedy = true; }),
        asked("The weather today is", "penalty 1.3", 16, [](O& o) { o.repetition_penalty = 1.3; }),
        asked("Once upon a time", "min-p 0.1, seed 2", 12, [](O& o) { o.min_p = 0.1, o.seed = 2; }),
    };
}

struct Way {
    const char* name;
    int budget;
    bool in_batches;
};

std::string shortened(std::string text) {
    for (char& c : text)
        if (c == '\n') c = ' ';
    if (text.size() > 30) text = text.substr(0, text.rfind(' ', 30)) + " …";
    return text;
}

// Eight requests of different lengths and two slots: whole batches, and continuous.
void show_slots() {
    std::printf(
        "1. Eight requests, A to H, two slots. A large letter reads a prompt, a small one writes.\n"
        "\n");
    print_slots("whole batches", simulate(eight, PlainScheduler(2, 0, true), 2), eight.size());
    print_slots("continuous", simulate(eight, PlainScheduler(2), 2), eight.size());
}

// A long prompt arrives while two texts are written: read whole, and in chunks.
void show_chunks() {
    std::printf("2. A and B write. C arrives with a prompt of 96 tokens, then D with 4.\n");
    for (const int budget : {0, 32, 16, 8}) {
        const Timeline timeline = simulate(with_long_prompt, PlainScheduler(4, budget), 4);
        const std::string name =
            budget == 0 ? "prompts whole" : "at most " + std::to_string(budget) + " tokens a pass";
        std::printf("\n   %s: the longest pass reads %d; first tokens of C and D after %d and %d\n",
                    name.c_str(), timeline.longest(), timeline.read_until(2),
                    timeline.read_until(3));
        print_rows(timeline);
    }
}

// Eight requests on the model, several ways; the texts against each one alone.
void show_texts(Model& model, int slots, int budget) {
    const std::vector<Asked> requests = eight_requests();
    const TokenBytes bytes = token_bytes_of(model.tokenizer);
    std::vector<std::vector<int>> prompts;
    std::vector<GeneratedText> alone;
    std::printf("3. Eight requests on the model, each alone:\n\n");
    for (const Asked& asked : requests) {
        prompts.push_back(prompt_ids(asked.options, model, asked.prompt));
        CachedBatch fresh(model.transformer);
        alone.push_back(generate_texts(std::ref(fresh), bytes, prompts.back(),
                                       request_of(asked.options, model))[0]);
        std::printf("   %c  %-20s %2d + %2d tokens  %s\n",
                    static_cast<char>('A' + count(alone) - 1), asked.how, count(prompts.back()),
                    count(alone.back().ids), shortened(alone.back().text).c_str());
    }
    const std::string chunks = "at most " + std::to_string(budget) + " a pass";
    for (const Way& way : {Way{"whole batches", 0, true}, Way{"continuous", 0, false},
                           Way{chunks.c_str(), budget, false}}) {
        CachedBatch batch(model.transformer);
        Engine engine(std::ref(batch), bytes, model.config().vocab_size,
                      PlainScheduler(slots, way.budget, way.in_batches));
        for (std::size_t i = 0; i < requests.size(); ++i)
            engine.add(prompts[i], request_of(requests[i].options, model));
        Timeline timeline{slots, {}};
        while (engine.step()) timeline.passes.push_back(engine.last_pass());
        int different = 0;
        for (std::size_t i = 0; i < requests.size(); ++i)
            different += engine.take(to_int(i)).text.ids != alone[i].ids;
        std::printf("\n   together, %s: %zu passes, %.0f %% of the slots held; %d texts differ\n",
                    way.name, timeline.passes.size(), 100 * timeline.busy(), different);
        print_rows(timeline);
    }
}

// Part 1 as a picture.
void write_slots_figure(const std::string& file) {
    constexpr int left = 20, width = 24, height = 26;
    std::string all;
    int top = 20;
    for (const bool in_batches : {true, false}) {
        const Timeline timeline = simulate(eight, PlainScheduler(2, 0, in_batches), 2);
        all += svg_text(left, top + 14,
                        std::string(in_batches ? "whole batches: " : "continuous: ") +
                            std::to_string(timeline.passes.size()) + " passes");
        top += 22;
        for (const std::string& row : timeline.rows()) {
            for (std::size_t p = 0; p < row.size(); ++p) {
                const int x = left + to_int(p) * width;
                const bool free = row[p] == '.';
                const int job = free ? 0 : (row[p] | 32) - 'a';
                all += svg_rect(x, top, width - 2, height - 2, free ? svg_grey : svg_colour(job),
                                free ? "fill-opacity=\"0.15\"" : "");
                if (!free && row[p] <= 'Z')
                    all +=
                        svg_text(x + (width - 2) / 2.0, top + 17, std::string(1, row[p]), "middle");
            }
            top += height;
        }
        top += 18;
    }
    write_svg(file, "Eight requests in two slots: whole batches, and continuous batching",
              2 * left + 26 * width, top, all);
}

}  // namespace

int main(int argc, char** argv) {
    std::string directory = shipped_model("storyteller").string(), figure;
    int part = 0, slots = 3, budget = 8;
    PartOptions for_parts(part);
    return run_program(
        argc, argv, "Chapter 26: serving.",
        [&](CommandLine line) {
            part_option(line, part, 3, "1 and 2 need no model");
            for_parts.add({3}, model_option(line, directory, " in part 3"));
            for_parts.add({3}, line.option("--max-running", slots, "texts at a time, in part 3")
                                   .between(1, 8)
                                   .shows_default());
            for_parts.add({3}, line.option("--max-batch-tokens", budget,
                                           "tokens that a pass reads, in part 3: as many as texts "
                                           "run, or more")
                                   .above_zero()
                                   .shows_default());
            for_parts.add({1}, figure_option(line, figure, "part 1"));
        },
        [&] {
            for_parts.check();
            check_at_least("--max-batch-tokens", budget, slots);
            std::optional<Model> model;  // what is wrong with it is said first
            if (part == 0 || part == 3) model = load_model(directory);
            if (!figure.empty()) write_slots_figure(figure);
            if (for_parts.begin(1)) show_slots();
            if (for_parts.begin(2)) show_chunks();
            if (for_parts.begin(3)) show_texts(*model, slots, budget);
        });
}
