// The plain encoding with the parts that the library brings: pieces of a text, and a vocabulary.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "chapters/17_tokenizer/plain_bpe.hpp"
#include "lib/core/tokenizer.hpp"

namespace tbt {

// A text cut into the pieces that no token crosses.
std::vector<std::string> pieces_of(std::string_view text);
// How often each piece stands in these texts.
std::map<std::string, long> count_pieces(const std::vector<std::string>& texts);

// The merges of a tokenizer, as plain ones.
PlainBpe plain_of(const BytePairTokenizer& tokenizer);
// The 256 single bytes in the order of GPT-2's ids.
std::vector<std::string> single_bytes();

// A whole text: each piece by itself.
std::vector<int> encode_text(const PlainBpe& bpe, std::string_view text);

}  // namespace tbt
