// make try EX=18_3: how far each layer of the shipped model is from the last one, and what DoLa
// makes of the next token. Another text: PROMPT="…".
#include <cstdio>
#include <string>

#include "chapters/01_next_token/next_token.hpp"
#include "chapters/18_transformer/load_plain.hpp"
#include "exercises/18_3_dola.hpp"
#include "lib/files/model.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/show/terminal.hpp"

using namespace tbt;

namespace {

ex18_3::Row in_doubles(const Row& logits) { return {logits.begin(), logits.end()}; }

void print_best(const char* who, const ex18_3::Row& distribution, const Tokenizer& tokenizer) {
    std::printf("   %-8s", who);
    for (const Candidate& c : top_candidates(Row(distribution.begin(), distribution.end()), 4))
        std::printf("  %s %3.0f %%", padded(visible(tokenizer.token_bytes(c.id)), 11).c_str(),
                    100 * std::exp(distribution[static_cast<std::size_t>(c.id)]));
    std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
    std::string prompt = "The weather today is";
    const auto options = [&](CommandLine line) {
        line.option("prompt", prompt, "the text to continue").shows_default();
    };
    return run_program(argc, argv, "DoLa, after one text.", options, [&] {
        const std::string directory = shipped_model("storyteller").string();
        const PlainGpt gpt = load_plain_gpt(directory);
        const Model model = load_model(directory);
        Inside inside;
        gpt.forward(model.tokenizer.encode(prompt), &inside);
        std::vector<ex18_3::Row> layers;
        for (const Rows& x : inside.residual) layers.push_back(in_doubles(gpt.logits(x.back())));
        const ex18_3::Row last = layers.back();
        layers.pop_back();
        // This model's input and output share one matrix, so the embedding predicts its own token.
        layers.erase(layers.begin());
        std::printf("\"%s\" …\n\n", prompt.c_str());
        for (std::size_t l = 0; l < layers.size(); ++l)
            std::printf("   layer %zu is %.3f away%s\n", l, ex18_3::divergence(last, layers[l]),
                        l == ex18_3::premature(layers, last) ? ": it is taken" : "");
        std::printf("\n");
        ex18_3::Row log_distribution = ex18_3::dola(layers, last, .1);
        for (double& p : log_distribution) p = std::log(p);
        print_best("model", ex18_3::log_softmax(last), model.tokenizer);
        print_best("DoLa", log_distribution, model.tokenizer);
    });
}
