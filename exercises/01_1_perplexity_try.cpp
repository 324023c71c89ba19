// make try EX=01_1: how surprised is the shipped model by these texts? By one of yours: PROMPT="…".
#include <cstdio>
#include <string>
#include <vector>

#include "chapters/01_next_token/next_token.hpp"
#include "exercises/01_1_perplexity.hpp"
#include "lib/files/model.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/show/terminal.hpp"

using namespace tbt;

int main(int argc, char** argv) {
    std::vector<std::string> texts{
        "Once upon a time, there was a little girl who lived in a small house.",
        "The weather today is sunny. The sun is shining and the sky is clear.",
        "The weather today is square. The spoon is shining and the soup is clear.",
        "clear is sky the and shining is sun The sunny is today weather The",
        "Colourless green ideas sleep furiously."};
    const auto options = [&](CommandLine line) { line.option("texts", texts, "texts to score"); };
    return run_program(argc, argv, "Perplexity of texts.", options, [&] {
        Model model = load_model(shipped_model("storyteller"));
        std::printf("perplexity  text   (%d would be guessing)\n", model.tokenizer.vocab_size());
        for (const std::string& text : texts) {
            const std::vector<int> ids = encode_prompt(model, text);
            WholeTextModel network(model.transformer);
            const Logits logits = network.at_every(ids);
            const std::string shown = columns(text) > 67 ? padded(text, 67) : text;
            std::printf("%10.2f  %s\n", ex01_1::perplexity(logits.values, ids), shown.c_str());
        }
    });
}
