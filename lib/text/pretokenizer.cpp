#include "lib/text/pretokenizer.hpp"

#include <array>
#include <string>

#include "lib/error.hpp"
#include "lib/index.hpp"
#include "lib/text/unicode.hpp"
#include "lib/text/utf8.hpp"

namespace tbt {

namespace {

enum class Kind : unsigned char { letter, number, space, other, not_ascii };

struct Character {
    Kind kind;
    std::size_t length;
};

// \s of the expression: Unicode's White_Space, beyond ASCII.
bool is_white_space(std::int32_t c) {
    return c == 0x85 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 ||
           c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

Character beyond_ascii(std::string_view text, std::size_t position) {
    const CodePoint c = decode_utf8(text, position);
    const auto length = index(c.length);
    if (c.value < 0) return {Kind::other, length};
    if (is_white_space(c.value)) return {Kind::space, length};
    const Category category = category_of(c.value);
    return {is_letter(category)   ? Kind::letter
            : is_number(category) ? Kind::number
                                  : Kind::other,
            length};
}

constexpr std::array<Kind, 256> byte_kinds = [] {
    std::array<Kind, 256> kinds{};
    for (std::size_t b = 0; b < 256; ++b) {
        const bool letter = (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z');
        const bool space = b == ' ' || (b >= '\t' && b <= '\r');
        kinds[b] = b >= 0x80              ? Kind::not_ascii
                   : letter               ? Kind::letter
                   : b >= '0' && b <= '9' ? Kind::number
                   : space                ? Kind::space
                                          : Kind::other;
    }
    return kinds;
}();

Character character_at(std::string_view text, std::size_t position) {
    const Kind kind = byte_kinds[static_cast<unsigned char>(text[position])];
    return kind == Kind::not_ascii ? beyond_ascii(text, position) : Character{kind, 1};
}

// 's|'t|'re|'ve|'m|'ll|'d: its length, 0 when the text at `position` (an apostrophe)
// starts none of them.
std::size_t contraction_length(std::string_view text, std::size_t position) {
    const std::string_view next = text.substr(position + 1, 2);
    if (next == "re" || next == "ve" || next == "ll") return 3;
    if (!next.empty() && std::string_view("stmd").find(next[0]) != std::string_view::npos) return 2;
    return 0;
}

// \s+(?!\S)|\s+: white space up to the end of the text, or leaving its last character to
// the word after it.
std::size_t white_space_end(std::string_view text, std::size_t begin) {
    std::size_t end = begin, last = begin;
    while (end < text.size()) {
        const Character c = character_at(text, end);
        if (c.kind != Kind::space) return last > begin ? last : end;
        last = end;
        end += c.length;
    }
    return end;
}

}  // namespace

std::size_t pretoken_end(std::string_view text, std::size_t begin) {
    if (begin >= text.size())
        throw Error("pretokenizer: no piece begins at byte " + std::to_string(begin) + " of " +
                    std::to_string(text.size()));
    if (text[begin] == '\'') {
        if (const std::size_t length = contraction_length(text, begin)) return begin + length;
    }
    // An optional space, then a run of letters, of numbers, or of anything else that is visible.
    std::size_t end = begin + (text[begin] == ' ' ? 1 : 0);
    if (end == text.size()) return end;
    const Character first = character_at(text, end);
    if (first.kind == Kind::space) return white_space_end(text, begin);
    end += first.length;
    while (end < text.size()) {
        const Character c = character_at(text, end);
        if (c.kind != first.kind) break;
        end += c.length;
    }
    return end;
}

}  // namespace tbt
