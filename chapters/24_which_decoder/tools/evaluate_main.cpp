// Figures of texts that somebody or something wrote, under any model.
//
//   make evaluate MODEL=data/models/storyteller TEXTS=story.txt
//   build/evaluate data/models/sketch texts.jsonl
//
// Look for: a low perplexity beside many repeated runs is a loop, not a good text.
#include <cstdio>
#include <string>

#include "chapters/24_which_decoder/tools/text_figures.hpp"
#include "lib/machine/command_line.hpp"

using namespace tbt;

int main(int argc, char** argv) {
    std::string directory, file;
    return run_program(
        argc, argv, "Perplexity, diversity and repetition of texts.",
        [&](CommandLine line) {
            line.option("model", directory, "a model directory").required();
            line.option("texts", file,
                        "*.jsonl: the string \"text\" of each line; else <|endoftext|> separates")
                .required();
        },
        [&] {
            const std::vector<std::string> texts = texts_in(file);
            Model model = load_model(directory);
            const TextFigures f = text_figures(model, texts);
            const Diversity& d = f.diversity;
            std::printf("texts                     %ld, %ld tokens, %ld bytes\n", f.texts, f.tokens,
                        f.bytes);
            std::printf("perplexity                %.3f a token\n", f.perplexity());
            std::printf("bits                      %.4f a byte\n", f.bits_per_byte());
            std::printf("distinct texts            %.1f %%\n", 100 * d.distinct_texts);
            for (std::size_t n = 1; n <= 4; ++n)
                std::printf("distinct-%zu                %.3f\n", n, d.distinct[n - 1]);
            std::printf("repeated runs of 4 words  %.1f %%\n", 100 * d.repeated);
        });
}
