// Which neighbouring characters a merge can join. Where none can, a text may be cut: its parts have
// the same ids as the whole, and short parts are found in the cache of words.
#pragma once

#include <bitset>
#include <cstddef>
#include <string_view>

namespace tbt {

// Of the left character only the last byte counts, of the right one only the first, so some pairs
// seem joined that are not. "▁", which begins most words, counts as a byte of its own.
class JoinedCharacters {
public:
    // Both as the merge has them; if a byte such as <0x0A> is among them, no text is cut any more.
    void add_merge(std::string_view left, std::string_view right);
    // The end of the part of the text that begins at `begin` < text.size().
    std::size_t part_end(std::string_view text, std::size_t begin) const;

private:
    std::bitset<256 * 256> joined_;
};

}  // namespace tbt
