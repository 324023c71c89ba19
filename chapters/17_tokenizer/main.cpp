// Chapter 17: the tokenizer, or why a model reads pieces of words.
//
//   make run-17                                              all parts
//   make run-17 ARGS='--part 3 --word " lighthouses"'        another word, cut step by step
//   make run-17 ARGS='--tokenizer ~/models/gpt2 --part 5'    with another vocabulary
//
// Look for: part 2, where three letters become a word because they stand together often.
#include <cstdio>
#include <functional>
#include <optional>
#include <string>

#include "chapters/17_tokenizer/demo.hpp"
#include "lib/core/gpt.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/files.hpp"
#include "lib/machine/usual_options.hpp"

using namespace tbt;

int main(int argc, char** argv) {
    std::string text = "The lighthouse keeper lit the lamp, and the light fell on the water.";
    std::string sentence = "the cat and the hat and the other cat", word = " lighthouses";
    std::string directory = model_directory("storyteller"), figure, compare;
    int part = 0, merges = 9;
    PartOptions for_parts(part);
    return run_program(
        argc, argv, "Chapter 17: the tokenizer.",
        [&](CommandLine line) {
            part_option(line, part, 5);
            for_parts.add({1}, line.option("text", text, "the text of part 1 and the figure"));
            for_parts.add({2}, line.option("--sentence", sentence, "what part 2 learns from"));
            for_parts.add(
                {2}, line.option("--merges", merges, "merges that part 2 learns").between(0, 200));
            for_parts.add({3}, line.option("--word", word, "the word that part 3 encodes"));
            line.option("--tokenizer", directory, "a directory with a tokenizer");
            line.option("--figure", figure, "write the text as coloured tokens (SVG)");
            line.option("--compare", compare, "a second tokenizer for the figure");
        },
        [&] {
            for_parts.check();
            check_word(word);
            const BytePairTokenizer tokenizer = BytePairTokenizer::load(directory);
            std::optional<BytePairTokenizer> other;
            if (!compare.empty()) other.emplace(BytePairTokenizer::load(compare));
            if (!figure.empty()) write_cuts(figure, text, tokenizer, other ? &*other : nullptr);
            const std::function<void()> parts[] = {
                [&] { show_units(tokenizer, text); }, [&] { show_learning(sentence, merges); },
                [&] { show_encoding(tokenizer, word); }, [&] { show_mishaps(tokenizer); },
                [&] { show_languages(tokenizer); }};
            for (int i = 1; i <= 5; ++i) {
                if (part != 0 && i != part) continue;
                if (part == 0 && i > 1) std::printf("\n");
                parts[i - 1]();
            }
        });
}
