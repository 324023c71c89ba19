// Chapter 01: predict, pick, append, repeat.
//
// Shows each step of the loop: the text so far, the model's first choices for the next token,
// and which one is appended. Then why only the last position's logits count. Run it:
// make run-01, or make run-01 ARGS='"Hello"'. Look for: how sure the model is after "The sun",
// and how unsure after "today is", where any kind of weather may follow.
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "chapters/01_next_token/next_token.hpp"
#include "lib/core/gpt.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/files.hpp"
#include "lib/machine/usual_options.hpp"
#include "lib/show/svg.hpp"
#include "lib/show/terminal.hpp"

using namespace tbt;

namespace {

constexpr int bar_width = 30;

void print_candidates(const BytePairTokenizer& tokenizer, std::span<const float> logits, int n) {
    for (const Candidate& c : top_candidates(logits, n)) {
        std::printf("   %s %5.1f %%  %s\n",
                    padded(visible(tokenizer.token_bytes(c.id)), 14).c_str(),
                    100.0 * static_cast<double>(c.probability),
                    bar(static_cast<double>(c.probability), bar_width).c_str());
    }
}

// One bar chart for the first step: the figure of the lesson.
void write_figure(const std::string& file, const BytePairTokenizer& tokenizer,
                  std::span<const float> logits, const std::string& prompt) {
    BarChart chart;
    chart.title = "What comes after \"" + prompt + "\"?";
    chart.value_label = "probability";
    for (const Candidate& c : top_candidates(logits, 12)) {
        chart.bars.push_back(
            {visible(tokenizer.token_bytes(c.id)), static_cast<double>(c.probability)});
    }
    write_svg(file, chart);
}

void print_prompt(const BytePairTokenizer& tokenizer, const std::vector<int>& ids) {
    std::printf("1. The prompt becomes %zu token%s:", ids.size(), ids.size() == 1 ? "" : "s");
    for (const int id : ids) std::printf(" %s(%d)", visible(tokenizer.token_bytes(id)).c_str(), id);
    std::printf("\n");
}

void the_loop(const BytePairTokenizer& tokenizer, WholeTextModel<Gpt>& gpt, std::vector<int> ids,
              int steps, int shown) {
    std::printf("\n2. Predict, pick the first, append, repeat:\n");
    for (int step = 1; step <= steps; ++step) {
        const std::span<const float> logits = gpt(ids);  // predict: one logit for each of V tokens
        std::printf("\n   step %d: \"%s\" + ?\n", step, tokenizer.decode(ids).c_str());
        print_candidates(tokenizer, logits, shown);
        ids.push_back(top_candidates(logits, 1)[0].id);  // pick and append
    }
    std::printf("\n   result: \"%s\"\n", tokenizer.decode(ids).c_str());
}

void why_the_last_position(const BytePairTokenizer& tokenizer, WholeTextModel<Gpt>& gpt,
                           const std::vector<int>& ids) {
    std::printf(
        "\n3. A GPT predicts at every position at once. Only the last one has read "
        "everything:\n\n");
    const Logits all = gpt.at_every(ids);
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const Candidate first = top_candidates(all.row(static_cast<std::int64_t>(i)), 1)[0];
        const std::string read = tokenizer.decode(std::span(ids).first(i + 1));
        const std::string says =
            i + 1 == ids.size()
                ? "<- new: this one we append"
                : "(the text says " + visible(tokenizer.token_bytes(ids[i + 1])) + ")";
        std::printf("   has read %s predicts %s %s\n", padded("\"" + read + "\"", 24).c_str(),
                    padded(visible(tokenizer.token_bytes(first.id)), 12).c_str(), says.c_str());
    }
}

}  // namespace

int main(int argc, char** argv) {
    std::string prompt = "The weather today", figure, directory = model_directory("storyteller");
    int steps = 6, shown = 4;
    return run_program(
        argc, argv, "Chapter 01: the loop behind all text generation, step by step.",
        [&](CommandLine line) {
            prompt_option(line, prompt);
            line.option("--steps", steps, "tokens to append").shows_default().between(1, 1000);
            line.option("--top", shown, "candidates to show at each step")
                .shows_default()
                .between(1, 100);
            model_option(line, directory);
            figure_option(line, figure, "the first step's candidates");
        },
        [&] {
            GptModel model = load_gpt(directory);
            WholeTextModel gpt(model.gpt);
            const std::vector<int> ids = encode_prompt(model, prompt, steps);
            if (!figure.empty()) write_figure(figure, model.tokenizer, gpt(ids), prompt);
            print_prompt(model.tokenizer, ids);
            the_loop(model.tokenizer, gpt, ids, steps, shown);
            why_the_last_position(model.tokenizer, gpt, ids);
        });
}
