// Pre-tokenization: splits a text into words, numbers, punctuation and white space. No token
// crosses the border of such a piece. GPT-2 uses the regular expression
//
//     's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
//
// [Radford et al. 2019]. Here it is a scanner that reads the text once.
#pragma once

#include <cstddef>
#include <string_view>

namespace tbt {

// The end of the piece that starts at byte `begin` < text.size(). Bytes that are not UTF-8 count as
// punctuation.
std::size_t pretoken_end(std::string_view text, std::size_t begin);

// The same with the pattern of Llama 3 (max_digits 3), Qwen (1) and many other models. max_digits
// is the maximum number of digits in a piece; 0: no limit.
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

// Calls visit(piece) for each of GPT-2's pieces in order; joined, the pieces are the text.
template <class Visit>
void for_each_pretoken(std::string_view text, Visit&& visit) {
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = pretoken_end(text, begin);
        visit(text.substr(begin, end - begin));
        begin = end;
    }
}

}  // namespace tbt
