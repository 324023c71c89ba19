#include "lib/text/byte_alphabet.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"

namespace tbt {

namespace {

struct Alphabet {
    std::array<unsigned char, 256> order{};     // visible bytes first
    std::array<std::int32_t, 256> character{};  // the character of each byte
    std::array<int, 512> byte{};                // the byte of each character; −1: none
};

constexpr bool is_visible(int b) {
    return (b >= '!' && b <= '~') || (b >= 0xa1 && b <= 0xac) || b >= 0xae;
}

constexpr Alphabet alphabet = [] {
    Alphabet a;
    a.byte.fill(-1);
    std::size_t next = 0;
    int hidden = 0;
    for (const bool visible : {true, false}) {
        for (int b = 0; b < 256; ++b) {
            if (is_visible(b) != visible) continue;
            const int character = visible ? b : 256 + hidden++;
            a.order[next++] = static_cast<unsigned char>(b);
            a.character[index(b)] = character;
            a.byte[index(character)] = b;
        }
    }
    return a;
}();

}  // namespace

std::string visible_bytes(std::string_view bytes) {
    std::string text;
    for (const char b : bytes) append_utf8(text, alphabet.character[static_cast<unsigned char>(b)]);
    return text;
}

std::optional<std::string> bytes_of_visible(std::string_view visible) {
    std::string bytes;
    for (std::size_t i = 0; i < visible.size();) {
        const CodePoint c = decode_utf8(visible, i);
        if (c.value < 0 || c.value >= static_cast<std::int32_t>(alphabet.byte.size()))
            return std::nullopt;
        const int byte = alphabet.byte[index(c.value)];
        if (byte < 0) return std::nullopt;
        bytes += static_cast<char>(byte);
        i += index(c.length);
    }
    return bytes;
}

std::span<const unsigned char> byte_token_order() { return alphabet.order; }

}  // namespace tbt
