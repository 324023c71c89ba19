// What the heads look at: patterns, and the head that shows each of them most.
#pragma once

#include <string>
#include <vector>

#include "chapters/18_transformer/plain_gpt.hpp"
#include "lib/text/tokenizer.hpp"

namespace tbt {

// The texts on which heads are compared: a story with names and speech, a report, a record.
const std::vector<std::string>& head_texts();

inline constexpr std::size_t pattern_window = 24;

struct HeadPattern {
    std::string name;
    std::size_t layer = 0, head = 0;  // the strongest
    double share = 0, mean = 0;       // its attention that follows the pattern; that of all heads
    std::size_t text = 0, first = 0;  // where it is seen best: a text, and 24 tokens from first on
};

// For a token at t a pattern names earlier positions: the one before, the same token, what followed
// the same token, the first token of the text, the quotation mark that opened the speech.
// Positions for which it names none are not counted.
std::vector<HeadPattern> strongest_heads(const PlainGpt& gpt, const Tokenizer& tokenizer);

}  // namespace tbt
