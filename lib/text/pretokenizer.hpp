// Pre-tokenization for models after GPT-2, whose own pieces are in lib/core/unicode.hpp.
#pragma once

#include <cstddef>
#include <string_view>

#include "lib/core/unicode.hpp"

namespace tbt {

// The end of the piece that starts at `begin`, with the pattern of Llama 3 (max_digits 3), Qwen (1)
// and many other models. max_digits is the maximum number of digits in a piece; 0: no limit.
//
//     (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|
//      ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
std::size_t cl100k_pretoken_end(std::string_view text, std::size_t begin, int max_digits);

// The end of the piece at `begin` that is either all digits, at most max_digits of them (0: no
// limit), or without digits: \p{N}{1,max_digits}|\P{N}+
std::size_t digits_end(std::string_view text, std::size_t begin, int max_digits);

// The length in bytes of the Unicode white space character at `begin` < text.size(); 0 if there is
// none.
std::size_t white_space_length(std::string_view text, std::size_t begin);

}  // namespace tbt
