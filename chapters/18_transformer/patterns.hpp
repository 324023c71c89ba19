// Patterns of attention, and the head that shows each of them most.
#pragma once

#include <string>
#include <vector>

#include "chapters/18_transformer/plain_gpt.hpp"
#include "lib/core/tokenizer.hpp"

namespace tbt {

// The texts for which heads are compared: a story with names and speech, a report, a record.
const std::vector<std::string>& head_texts();

inline constexpr std::size_t pattern_window = 24;

struct HeadPattern {
    std::string name;
    std::size_t layer = 0, head = 0;  // the strongest head
    double share = 0, mean = 0;       // its attention on the pattern; the mean over all heads
    std::size_t text = 0, first = 0;  // the best example: a text, and 24 tokens beginning at first
};

// For each token a pattern selects earlier positions: the token before, the same token, the token
// that followed the same token, the first token of the text, the quotation mark that opened the
// speech. A token for which it selects none does not count.
std::vector<HeadPattern> strongest_heads(const PlainGpt& gpt, const BytePairTokenizer& tokenizer);

}  // namespace tbt
