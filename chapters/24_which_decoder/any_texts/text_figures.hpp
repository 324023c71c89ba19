// Figures of any texts under any model, where no grammar tells the truth.
#pragma once

#include <string>
#include <vector>

#include "chapters/24_which_decoder/measure.hpp"
#include "lib/files/model.hpp"

namespace tbt {

// Texts of a file: of *.jsonl the string "text" of each line; else what <|endoftext|> separates.
// Throws Error, naming file and line, for one without texts, not UTF-8, or a line of another kind.
std::vector<std::string> texts_in(const std::string& file);

struct TextFigures {
    long texts = 0, tokens = 0, bytes = 0;
    double bits = 0;  // −log2 of what the model gives the tokens, summed
    Diversity diversity;

    double perplexity() const;  // 2^(bits a token)
    double bits_per_byte() const;
};

// Each text follows an end of text, if the model has one; otherwise its first token is given. One
// that is longer than the context is read in pieces of it. Throws Error if there is no token to
// predict.
TextFigures text_figures(Model& model, const std::vector<std::string>& texts);

}  // namespace tbt
