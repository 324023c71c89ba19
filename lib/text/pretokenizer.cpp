#include "lib/text/pretokenizer.hpp"

#include <array>
#include <string>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/utf8.hpp"
#include "lib/text/unicode.hpp"

namespace tbt {

namespace {

enum class Kind : unsigned char { letter, number, space, other, not_ascii };

struct Character {
    Kind kind;
    std::size_t length;
};

// \s of the expression outside ASCII: Unicode's White_Space.
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

// The length of the contraction ('s|'t|'re|'ve|'m|'ll|'d) at `position`, which is an apostrophe; 0
// if there is none.
std::size_t contraction_length(std::string_view text, std::size_t position) {
    const std::string_view next = text.substr(position + 1, 2);
    if (next == "re" || next == "ve" || next == "ll") return 3;
    if (!next.empty() && std::string_view("stmd").find(next[0]) != std::string_view::npos) return 2;
    return 0;
}

// \s+(?!\S)|\s+: all white space at the end of the text; before a word, all but the last character,
// which belongs to the word.
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

void check_begin(std::string_view text, std::size_t begin) {
    if (begin < text.size()) return;
    throw Error("pretokenizer: no piece begins at byte " + std::to_string(begin) + " of " +
                std::to_string(text.size()));
}

// The end of a run of characters of one kind, at most `most` characters long.
std::size_t run_end(std::string_view text, std::size_t begin, Kind kind,
                    std::size_t most = std::string_view::npos) {
    std::size_t end = begin;
    for (; end < text.size() && most > 0; --most) {
        const Character c = character_at(text, end);
        if (c.kind != kind) break;
        end += c.length;
    }
    return end;
}

bool is_newline(char c) { return c == '\n' || c == '\r'; }

// The same contractions in upper or lower case. Case folding maps U+017F, the long s, to s.
std::size_t any_case_contraction_length(std::string_view text, std::size_t position) {
    std::string next;
    std::size_t end = position + 1, first_end = end;
    for (int i = 0; i < 2 && end < text.size(); ++i) {
        const bool long_s = text.substr(end).starts_with("\u017f");
        const char c = text[end];
        next += long_s ? 's' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        end += long_s ? 2 : 1;
        if (i == 0) first_end = end;
    }
    if (next == "re" || next == "ve" || next == "ll") return end - position;
    if (!next.empty() && std::string_view("stmd").find(next[0]) != std::string_view::npos)
        return first_end - position;
    return 0;
}

// \s*[\r\n]+|\s+(?!\S)|\s+
std::size_t white_space_and_newlines_end(std::string_view text, std::size_t begin) {
    const std::size_t run = run_end(text, begin, Kind::space);
    for (std::size_t end = run; end > begin; --end)
        if (is_newline(text[end - 1])) return end;
    return white_space_end(text, begin);
}

}  // namespace

std::size_t white_space_length(std::string_view text, std::size_t begin) {
    check_begin(text, begin);
    const Character c = character_at(text, begin);
    return c.kind == Kind::space ? c.length : 0;
}

std::size_t digits_end(std::string_view text, std::size_t begin, int max_digits) {
    check_begin(text, begin);
    const std::size_t end = run_end(text, begin, Kind::number,
                                    max_digits > 0 ? index(max_digits) : std::string_view::npos);
    if (end > begin) return end;
    for (std::size_t i = begin; i < text.size();) {
        const Character c = character_at(text, i);
        if (c.kind == Kind::number) return i;
        i += c.length;
    }
    return text.size();
}

std::size_t cl100k_pretoken_end(std::string_view text, std::size_t begin, int max_digits) {
    check_begin(text, begin);
    const char byte = text[begin];
    if (byte == '\'') {
        if (const std::size_t length = any_case_contraction_length(text, begin))
            return begin + length;
    }
    const Character first = character_at(text, begin);
    const std::size_t second = begin + first.length;
    if (first.kind == Kind::letter) return run_end(text, second, Kind::letter);
    if (first.kind == Kind::number) return digits_end(text, begin, max_digits);
    const Kind next = second < text.size() ? character_at(text, second).kind : Kind::space;
    if (next == Kind::letter && !is_newline(byte)) return run_end(text, second, Kind::letter);
    if (first.kind == Kind::other || (byte == ' ' && next == Kind::other)) {
        std::size_t end = run_end(text, second, Kind::other);
        while (end < text.size() && is_newline(text[end])) ++end;
        return end;
    }
    return white_space_and_newlines_end(text, begin);
}

std::size_t pretoken_end(std::string_view text, std::size_t begin) {
    check_begin(text, begin);
    if (text[begin] == '\'') {
        if (const std::size_t length = contraction_length(text, begin)) return begin + length;
    }
    // An optional space, then a run of letters, of numbers, or of anything else that is visible.
    const std::size_t end = begin + (text[begin] == ' ' ? 1 : 0);
    if (end == text.size()) return end;
    const Character first = character_at(text, end);
    if (first.kind == Kind::space) return white_space_end(text, begin);
    return run_end(text, end + first.length, first.kind);
}

}  // namespace tbt
