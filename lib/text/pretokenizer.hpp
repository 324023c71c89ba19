// GPT-2's first cut of a text into words, numbers, punctuation and white space;
// no token crosses these borders.
//
//     's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
//
// is the regular expression of [Radford et al. 2019]; here it is a scanner that goes
// through the text once.
#pragma once

#include <cstddef>
#include <string_view>

namespace tbt {

// The end of the piece that starts at `begin` < text.size(). Bytes that are not UTF-8
// count as punctuation.
std::size_t pretoken_end(std::string_view text, std::size_t begin);

// Calls visit(piece) for each piece of the text in order; the pieces joined are the text.
// The pattern that Llama 3 (most_digits 3), Qwen (1) and many others use; 0: any number of digits.
//
//     (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|
//      ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
std::size_t cl100k_pretoken_end(std::string_view text, std::size_t begin, int most_digits);

// The end of the run at `begin` that is all digits, at most so many (0: any number), or that has
// none: \p{N}{1,most_digits}|\P{N}+
std::size_t digits_end(std::string_view text, std::size_t begin, int most_digits);

// White space as Unicode has it begins at `begin` < text.size(): its length in bytes, otherwise 0.
std::size_t white_space_length(std::string_view text, std::size_t begin);

template <class Visit>
void for_each_pretoken(std::string_view text, Visit&& visit) {
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = pretoken_end(text, begin);
        visit(text.substr(begin, end - begin));
        begin = end;
    }
}

}  // namespace tbt
