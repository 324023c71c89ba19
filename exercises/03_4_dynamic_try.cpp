// make try EX=03_4: a text, and the temperature that each of its tokens was drawn at.
// Another text: PROMPT="…".
#include <cstdio>
#include <string>

#include "chapters/01_next_token/next_token.hpp"
#include "chapters/03_temperature/plain_draw.hpp"
#include "chapters/03_temperature/plain_temperature.hpp"
#include "exercises/03_4_dynamic.hpp"
#include "lib/core/rng.hpp"
#include "lib/files/model.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/show/terminal.hpp"

using namespace tbt;

int main(int argc, char** argv) {
    std::string prompt = "The weather today";
    std::uint64_t seed = 0;
    double low = 0, high = 2;
    const auto options = [&](CommandLine line) {
        line.option("prompt", prompt, "the text to continue").shows_default();
        line.option("--seed", seed, "other texts").shows_default();
        line.option("--low", low, "where the model is sure").shows_default();
        line.option("--high", high, "where all tokens are equal").shows_default();
    };
    return run_program(argc, argv, "Dynamic temperature.", options, [&] {
        constexpr int length = 24;
        Model model = load_model(shipped_model("storyteller"));
        WholeTextModel network(model.transformer);
        Rng rng(seed);
        std::vector<int> ids = encode_prompt(model, prompt, length);
        std::printf("%s …\n", prompt.c_str());
        for (int i = 0; i < length; ++i) {
            const std::span<const float> logits = network(ids);
            const double T = ex03_4::dynamic_temperature(logits, low, high);
            ids.push_back(draw(logits, T, rng.uniform()));
            std::printf("   %s T = %.3f  %s\n",
                        padded(visible(model.tokenizer.token_bytes(ids.back())), 14).c_str(), T,
                        bar(high > 0 ? T / high : 0, 40).c_str());
        }
        print_wrapped(model.tokenizer.decode(ids));
    });
}
