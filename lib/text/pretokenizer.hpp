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
template <class Visit>
void for_each_pretoken(std::string_view text, Visit&& visit) {
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = pretoken_end(text, begin);
        visit(text.substr(begin, end - begin));
        begin = end;
    }
}

}  // namespace tbt
