// make try EX=03_2: the next token at seven temperatures, and what temperature each task wants.
// Another text: PROMPT="…".
#include <cstdio>
#include <string>

#include "chapters/01_next_token/next_token.hpp"
#include "exercises/03_2_visualizer.hpp"
#include "lib/files/model.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/show/terminal.hpp"

using namespace tbt;

int main(int argc, char** argv) {
    std::string prompt = "The weather today is";
    const auto options = [&](CommandLine line) {
        line.option("prompt", prompt, "the text to continue").shows_default();
    };
    return run_program(argc, argv, "A temperature visualizer.", options, [&] {
        Model model = load_model(shipped_model("storyteller"));
        WholeTextModel network(model.transformer);
        const std::span<const float> row = network(encode_prompt(model, prompt));
        const std::vector<float> logits(row.begin(), row.end());
        std::printf("\"%s\" + ?\n\n", prompt.c_str());
        std::printf("     T   top     entropy  e^entropy   p > .01   entropy of at most ln %zu\n",
                    logits.size());
        for (const double T : {.1, .3, .5, .7, 1.0, 1.5, 2.0}) {
            const ex03_2::Numbers n = ex03_2::numbers_at(logits, T);
            std::printf(
                "   %3.1f   %.4f  %7.4f  %9.2f  %8d   %s\n", T, n.top, n.entropy,
                portable_exp(n.entropy), n.effective,
                bar(n.entropy / portable_log(static_cast<double>(logits.size())), 30).c_str());
        }
        std::printf("\n   task         T for these logits    usual\n");
        for (const char* task : {"factual", "balanced", "creative"}) {
            const ex03_2::Range here = ex03_2::recommend_temperature(task, logits);
            const ex03_2::Range usual = ex03_2::recommend_temperature(task);
            std::printf("   %-10s  %6.3f to %6.3f     %.1f to %.1f\n", task, here.low, here.high,
                        usual.low, usual.high);
        }
    });
}
