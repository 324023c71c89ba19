// UTF-8 decoding and encoding for texts that may be broken: a byte that is not part of a
// well-formed sequence is treated as a unit of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tbt {

// The first character of some bytes, as the Unicode standard defines it (§3.9, table 3-7).
struct Utf8Head {
    enum Kind { complete, cut, broken } kind;  // cut: the bytes end before the character does
    // In bytes. If broken: the bytes that one U+FFFD replaces together.
    std::size_t length;
};
// `bytes` must not be empty.
Utf8Head utf8_head(std::string_view bytes);

struct CodePoint {
    std::int32_t value = -1;  // −1: the byte is not part of a well-formed sequence
    int length = 1;           // in bytes
};

// The code point at byte `position` < text.size(). Overlong forms, surrogates and values above
// U+10FFFF are not well formed.
CodePoint decode_utf8(std::string_view text, std::size_t position);

// The position of the first byte that is not well-formed UTF-8; npos if there is none.
std::size_t find_invalid_utf8(std::string_view text);

// The text with one U+FFFD for each sequence that is not well formed, as the Unicode standard
// recommends (§3.9).
std::string valid_utf8(std::string_view text);

// The number of characters (code points); a byte that is not part of one counts as one.
std::size_t count_characters(std::string_view text);

// The text for messages: shortened to fit on a line, with control characters and broken UTF-8
// replaced.
std::string shown(std::string_view text);

// Appends a code point as UTF-8. Throws Error for a surrogate and outside U+0000 to U+10FFFF.
void append_utf8(std::string& text, std::int32_t code_point);

}  // namespace tbt
