#include "lib/core/utf8.hpp"

#include <cstring>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"

namespace tbt {

namespace {

unsigned byte_at(std::string_view bytes, std::size_t i) {
    return static_cast<unsigned char>(bytes[i]);
}

// The number of ASCII bytes at `begin`, tested 8 at a time and rounded down to a multiple of 8.
std::size_t ascii_length(std::string_view text, std::size_t begin) {
    std::uint64_t word = 0;
    std::size_t end = begin;
    for (; end + sizeof word <= text.size(); end += sizeof word) {
        std::memcpy(&word, text.data() + end, sizeof word);
        if (word & 0x8080808080808080u) break;
    }
    return end - begin;
}

}  // namespace

Utf8Head utf8_head(std::string_view bytes) {
    if (bytes.empty()) return {Utf8Head::cut, 0};
    const unsigned first = byte_at(bytes, 0);
    if (first < 0x80) return {Utf8Head::complete, 1};
    if (first < 0xc2 || first > 0xf4) return {Utf8Head::broken, 1};
    const std::size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    // The range of the second byte excludes overlong forms (after E0 and F0), surrogates (after ED)
    // and values above U+10FFFF (after F4).
    unsigned low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    unsigned high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    for (std::size_t i = 1; i < length; ++i) {
        if (i == bytes.size()) return {Utf8Head::cut, i};
        const unsigned byte = byte_at(bytes, i);
        if (byte < low || byte > high) return {Utf8Head::broken, i};
        low = 0x80, high = 0xbf;
    }
    return {Utf8Head::complete, length};
}

CodePoint decode_utf8(std::string_view text, std::size_t position) {
    if (position >= text.size()) return {};
    const std::string_view bytes = text.substr(position);
    const Utf8Head head = utf8_head(bytes);
    if (head.kind != Utf8Head::complete) return {};
    // The first byte has 7, 5, 4 or 3 bits of the value; each further byte has 6.
    constexpr unsigned first_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    unsigned value = byte_at(bytes, 0) & first_bits[head.length];
    for (std::size_t i = 1; i < head.length; ++i) value = value << 6 | (byte_at(bytes, i) & 0x3fu);
    return {static_cast<std::int32_t>(value), to_int(head.length)};
}

std::size_t find_invalid_utf8(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        i += ascii_length(text, i);
        if (i == text.size()) break;
        const Utf8Head head = utf8_head(text.substr(i));
        if (head.kind != Utf8Head::complete) return i;
        i += head.length;
    }
    return std::string_view::npos;
}

std::string valid_utf8(std::string_view text) {
    std::string valid;
    for (std::size_t i = 0; i < text.size();) {
        const Utf8Head head = utf8_head(text.substr(i));
        if (head.kind == Utf8Head::complete) valid += text.substr(i, head.length);
        else valid += "\ufffd";
        i += head.length;
    }
    return valid;
}

std::size_t count_characters(std::string_view text) {
    std::size_t n = 0;
    for (std::size_t i = 0; i < text.size(); ++n) i += index(decode_utf8(text, i).length);
    return n;
}

void append_utf8(std::string& text, std::int32_t code_point) {
    if (code_point < 0 || code_point > 0x10ffff || (code_point >= 0xd800 && code_point < 0xe000))
        throw Error(
            "utf8: " + std::to_string(code_point) +
            " is not a character, expected a code point up to 1114111 that is not a surrogate");
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

std::string shown(std::string_view text) {
    constexpr std::size_t longest = 160;
    std::string line;
    for (std::size_t i = 0; i < text.size();) {
        if (line.size() > longest) return line + "…";
        const CodePoint c = decode_utf8(text, i);
        const auto length = index(c.length);
        if (c.value < 0 || (c.value >= 0x7f && c.value < 0xa0)) {
            line += "\ufffd";
        } else {
            line += c.value < 0x20 ? " " : text.substr(i, length);
        }
        i += length;
    }
    return line;
}

}  // namespace tbt
