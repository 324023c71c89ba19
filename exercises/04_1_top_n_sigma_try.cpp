// make try EX=04_1: how many tokens top-nσ, top-k and top-p leave, at three temperatures.
// Another text: PROMPT="…".
#include <cstdio>
#include <string>

#include "chapters/01_next_token/next_token.hpp"
#include "chapters/03_temperature/plain_temperature.hpp"
#include "chapters/04_top_k/plain_top_k.hpp"
#include "exercises/04_1_top_n_sigma.hpp"
#include "lib/files/model.hpp"
#include "lib/machine/command_line.hpp"

using namespace tbt;

namespace {

// How many of the most probable tokens hold 90 % of the probability (chapter 05 does it exactly).
int nucleus(std::vector<double> p) {
    std::sort(p.rbegin(), p.rend());
    double mass = 0;
    int n = 0;
    while (mass < .9) mass += p[static_cast<std::size_t>(n++)];
    return n;
}

}  // namespace

int main(int argc, char** argv) {
    std::string prompt = "The weather today is";
    const auto options = [&](CommandLine line) {
        line.option("prompt", prompt, "the text to continue").shows_default();
    };
    return run_program(argc, argv, "Top-nσ and the temperature.", options, [&] {
        Model model = load_model(shipped_model("storyteller"));
        WholeTextModel network(model.transformer);
        const std::vector<int> ids = encode_prompt(model, prompt);
        const std::span<const float> row = network(ids);
        std::printf(
            "\"%s\": tokens that stay, of %zu\n\n     T   N = 1   N = 2   N = 3   k = 40   p = "
            ".9\n",
            prompt.c_str(), row.size());
        for (const double T : {.5, 1.0, 2.0, 4.0}) {
            std::vector<float> s(row.begin(), row.end());
            for (float& x : s) x = static_cast<float>(static_cast<double>(x) / T);
            std::printf("%6.1f", T);
            for (const double N : {1.0, 2.0, 3.0}) {
                const std::vector<float> cut = ex04_1::top_n_sigma(s, N);
                std::printf("%8zu", count_kept(cut));
            }
            std::printf("%9zu%9d\n", count_kept(top_k(s, 40)), nucleus(softmax_at(s, 1)));
        }
        std::printf("\nN = 1 keeps:");
        const std::vector<float> cut =
            ex04_1::top_n_sigma(std::vector<float>(row.begin(), row.end()), 1);
        for (const Candidate& t : top_candidates(cut, 12)) {
            if (t.logit != ex04_1::gone)
                std::printf("%s", std::string(model.tokenizer.token_bytes(t.id)).c_str());
        }
        std::printf("\n");
    });
}
