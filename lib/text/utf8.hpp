// UTF-8, where anything may be broken: a byte that is not part of a well-formed sequence
// stands for itself.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tbt {

struct CodePoint {
    std::int32_t value = -1;  // −1: the byte is not part of a well-formed sequence
    int length = 1;           // in bytes
};

// The code point at `position` < text.size(). Overlong forms, surrogates and values above U+10FFFF
// are not well formed.
CodePoint decode_utf8(std::string_view text, std::size_t position);

// The place of the first byte that is not well-formed UTF-8; npos when there is none.
std::size_t find_invalid_utf8(std::string_view text);

void append_utf8(std::string& text, std::int32_t code_point);

}  // namespace tbt
