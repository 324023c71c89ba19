#include "lib/text/utf8.hpp"

namespace tbt {

CodePoint decode_utf8(std::string_view text, std::size_t position) {
    const auto byte = [&](std::size_t i) {
        return position + i < text.size() ? static_cast<unsigned char>(text[position + i]) : 0u;
    };
    const auto continues = [&](std::size_t i) { return (byte(i) & 0xc0u) == 0x80u; };
    const auto tail = [&](std::size_t i) { return byte(i) & 0x3fu; };
    const unsigned first = byte(0);
    if (first < 0x80) return {static_cast<std::int32_t>(first), 1};
    if (first >= 0xc2 && first <= 0xdf && continues(1)) {
        return {static_cast<std::int32_t>((first & 0x1fu) << 6 | tail(1)), 2};
    }
    if (first >= 0xe0 && first <= 0xef && continues(1) && continues(2)) {
        const unsigned value = (first & 0x0fu) << 12 | tail(1) << 6 | tail(2);
        if (value >= 0x800 && (value < 0xd800 || value > 0xdfff))
            return {static_cast<std::int32_t>(value), 3};
    }
    if (first >= 0xf0 && first <= 0xf4 && continues(1) && continues(2) && continues(3)) {
        const unsigned value = (first & 0x07u) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3);
        if (value >= 0x10000 && value <= 0x10ffff) return {static_cast<std::int32_t>(value), 4};
    }
    return {};
}

std::size_t find_invalid_utf8(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const CodePoint c = decode_utf8(text, i);
        if (c.value < 0) return i;
        i += static_cast<std::size_t>(c.length);
    }
    return std::string_view::npos;
}

void append_utf8(std::string& text, std::int32_t code_point) {
    const auto c = static_cast<std::uint32_t>(code_point);
    const auto push = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
    if (c < 0x80) {
        push(c);
    } else if (c < 0x800) {
        push(0xc0u | c >> 6);
        push(0x80u | (c & 0x3fu));
    } else if (c < 0x10000) {
        push(0xe0u | c >> 12);
        push(0x80u | (c >> 6 & 0x3fu));
        push(0x80u | (c & 0x3fu));
    } else {
        push(0xf0u | c >> 18);
        push(0x80u | (c >> 12 & 0x3fu));
        push(0x80u | (c >> 6 & 0x3fu));
        push(0x80u | (c & 0x3fu));
    }
}

}  // namespace tbt
