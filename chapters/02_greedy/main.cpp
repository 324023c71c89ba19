// Chapter 02: greedy decoding, and the loop it gets stuck in.
//
// Writes a text by always taking the most probable token, prints how sure the model was at
// each step (the gap between the first and the second choice), and finds the loop. Run it:
// make run-02, or make run-02 ARGS='"Once upon a time"'. Look for: the same choice winning at the
// same place of every round, by a clear margin.
#include <cstdio>
#include <string>
#include <vector>

#include "chapters/02_greedy/greedy.hpp"
#include "lib/core/gpt.hpp"
#include "lib/core/index.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/files.hpp"
#include "lib/machine/usual_options.hpp"
#include "lib/show/svg.hpp"
#include "lib/show/terminal.hpp"

using namespace tbt;

namespace {

constexpr int shown_steps = 12;

// What a step looked like: the choice, its probability and that of the runner-up.
struct GreedyStep {
    int id = 0;
    int second_id = 0;
    double first = 0;
    double second = 0;
};

void print_steps(const BytePairTokenizer& tokenizer, const std::vector<GreedyStep>& steps) {
    std::printf("   step  first choice           second choice          gap\n");
    for (std::size_t i = 0; i < steps.size() && i < shown_steps; ++i) {
        const GreedyStep& s = steps[i];
        std::printf("   %4zu  %s %5.1f %%  %s %5.1f %%  %s\n", i + 1,
                    padded(visible(tokenizer.token_bytes(s.id)), 13).c_str(), 100 * s.first,
                    padded(visible(tokenizer.token_bytes(s.second_id)), 13).c_str(), 100 * s.second,
                    bar(s.first - s.second, 16).c_str());
    }
}

// The mean probability of the chosen tokens in each round of the loop.
void print_rounds(const Loop& loop, std::size_t prompt_length,
                  const std::vector<GreedyStep>& steps) {
    std::printf("\n   round  mean probability of the choice\n");
    for (int round = 0; round < loop.repeats && round < 8; ++round) {
        double sum = 0;
        int counted = 0;
        for (int i = 0; i < loop.period; ++i) {
            const auto position = index(loop.start + round * loop.period + i);
            if (position < prompt_length) continue;
            sum += steps[position - prompt_length].first;
            ++counted;
        }
        if (counted == 0) continue;
        std::printf("   %5d  %.4f  %s\n", round + 1, sum / counted, bar(sum / counted, 40).c_str());
    }
}

void write_figure(const std::string& file, const std::vector<GreedyStep>& steps) {
    LineChart chart;
    chart.title = "Greedy decoding: how far the first choice is ahead of the second";
    chart.x_label = "step";
    chart.y_label = "probability";
    LineChart::Series first{"first choice", {}}, second{"second choice", {}};
    for (std::size_t i = 0; i < steps.size(); ++i) {
        first.points.emplace_back(static_cast<double>(i + 1), steps[i].first);
        second.points.emplace_back(static_cast<double>(i + 1), steps[i].second);
    }
    chart.series = {first, second};
    write_svg(file, chart);
}

// The loop of chapter 01; pick is argmax. The rest is only for looking.
std::vector<int> write_greedily(WholeTextModel<Gpt>& gpt, const std::vector<int>& prompt,
                                int length, int eos, std::vector<GreedyStep>& steps) {
    const auto pick = [&](std::span<const float> logits, const std::vector<int>&) {
        const std::vector<Candidate> two = top_candidates(logits, 2);
        const int id = argmax(logits);
        steps.push_back({id, two[1].id, static_cast<double>(two[0].probability),
                         static_cast<double>(two[1].probability)});
        return id;
    };
    return generate(std::ref(gpt), prompt, length, pick, [&](int id) { return id != eos; });
}

void print_loop(const BytePairTokenizer& tokenizer, const std::vector<int>& ids,
                const std::vector<GreedyStep>& steps) {
    const bool ended = ids.back() == tokenizer.eos_id();
    const Loop loop = find_loop(std::span(ids).first(ids.size() - ended));
    if (!loop) {
        std::printf("\n3. No loop in these %zu tokens: the text %s\n", steps.size(),
                    ended ? "came to its end first."
                          : "was cut off first; ask for more with --max-new-tokens.");
        return;
    }
    const auto once = std::span(ids).subspan(index(loop.start), index(loop.period));
    std::printf("\n3. A loop of %d tokens, %d times over: \"%s\"\n", loop.period, loop.repeats,
                visible(tokenizer.decode(once)).c_str());
    print_rounds(loop, ids.size() - steps.size(), steps);
}

}  // namespace

int main(int argc, char** argv) {
    std::string prompt = "The weather today is windy", figure,
                directory = model_directory("storyteller");
    int max_new_tokens = 120;
    return run_program(
        argc, argv, "Chapter 02: greedy decoding, and the loop it gets stuck in.",
        [&](const CommandLine& line) {
            prompt_option(line, prompt);
            length_option(line, max_new_tokens);
            model_option(line, directory);
            figure_option(line, figure, "the gap at each step");
        },
        [&] {
            GptModel model = load_gpt(directory);
            WholeTextModel gpt(model.gpt);
            const std::vector<int> start = encode_prompt(model, prompt, max_new_tokens);
            std::vector<GreedyStep> steps;
            const std::vector<int> ids =
                write_greedily(gpt, start, max_new_tokens, model.tokenizer.eos_id(), steps);
            std::printf("1. Always the most probable token:\n\n%s\n",
                        model.tokenizer.decode(ids).c_str());
            std::printf("\n2. How sure it was:\n\n");
            print_steps(model.tokenizer, steps);
            print_loop(model.tokenizer, ids, steps);
            if (!figure.empty()) write_figure(figure, steps);
        });
}
