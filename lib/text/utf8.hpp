// UTF-8, where anything may be broken: a byte that is not part of a well-formed sequence
// stands for itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tbt {

// What stands at the beginning of some bytes, as the Unicode standard reads them (§3.9, table 3-7).
struct Utf8Head {
    enum Kind { complete, cut, broken } kind;  // cut: the bytes end before the character does
    // broken: the bytes that belong to the attempt; one U+FFFD stands for all of them.
    std::size_t length;
};
// There must be one byte at least.
Utf8Head utf8_head(std::string_view bytes);

struct CodePoint {
    std::int32_t value = -1;  // −1: the byte is not part of a well-formed sequence
    int length = 1;           // in bytes
};

// The code point at `position` < text.size(). Overlong forms, surrogates and values above U+10FFFF
// are not well formed.
CodePoint decode_utf8(std::string_view text, std::size_t position);

// The place of the first byte that is not well-formed UTF-8; npos when there is none.
std::size_t find_invalid_utf8(std::string_view text);

// The text with one U+FFFD for each sequence that is not well formed, as the Unicode standard
// recommends (§3.9).
std::string valid_utf8(std::string_view text);

// How many characters (code points); a byte that is no part of one counts as one.
std::size_t count_characters(std::string_view text);

// For messages: cut to a length that fits on a line, control characters and broken UTF-8 replaced.
std::string shown(std::string_view text);

// Throws Error for a surrogate, and for what lies outside U+0000 to U+10FFFF.
void append_utf8(std::string& text, std::int32_t code_point);

}  // namespace tbt
