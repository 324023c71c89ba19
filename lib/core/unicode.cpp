#include "lib/core/unicode.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/unicode_tables.hpp"

namespace tbt {

// ---- UTF-8 ----

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

// ---- categories and widths ----

namespace {

// The beginning of a run of characters of one kind. `kind` is its letter in the table.
struct Run {
    std::int32_t begin = 0;
    char kind = 0;
};

// The runs of a table, expanded at compile time. For every 256 characters, it also has the run of
// the first of them, so that a search is short.
template <std::size_t run_count>
struct Runs {
    static constexpr std::size_t pages = (highest_code_point + 1) / 256;

    constexpr explicit Runs(std::string_view text) {
        std::int32_t end = 0;
        std::size_t run = 0;
        for (std::size_t i = 0; i < text.size();) {
            runs[run++] = {end, text[i++]};
            std::int32_t length = 0;
            while (i < text.size() && text[i] >= '0' && text[i] <= '9')
                length = length * 10 + (text[i++] - '0');
            end += length == 0 ? 1 : length;
        }
        is_complete = end == highest_code_point + 1 && run == run_count;
        run = 0;
        for (std::size_t page = 0; page < pages; ++page) {
            while (run + 1 < run_count && index(runs[run + 1].begin) <= page * 256) ++run;
            first[page] = static_cast<std::uint16_t>(run);
        }
        first[pages] = static_cast<std::uint16_t>(run_count - 1);
    }

    // c from 0 to highest_code_point.
    const Run& at(std::int32_t c) const {
        const std::size_t page = index(c) / 256;
        const auto from = runs.begin() + first[page], to = runs.begin() + first[page + 1] + 1;
        return *(std::upper_bound(from, to, c,
                                  [](std::int32_t x, const Run& r) { return x < r.begin; }) -
                 1);
    }

    std::array<Run, run_count> runs{};
    std::array<std::uint16_t, pages + 1> first{};
    bool is_complete = false;
};

constexpr Runs<unicode::category_runs> categories(unicode::categories);
constexpr Runs<unicode::width_runs> widths(unicode::widths);
static_assert(categories.is_complete && widths.is_complete);

bool is_code_point(std::int32_t c) { return c >= 0 && c <= highest_code_point; }

}  // namespace

Category category_of(std::int32_t c) {
    if (!is_code_point(c)) return Category::Cn;
    const Run& run = categories.at(c);
    if (run.kind >= 'a') {
        if (run.kind < 'e') return static_cast<Category>(26 + run.kind - 'a');
        const bool capital = ((c - run.begin) % 2 == 0) == (run.kind == 'e');
        return capital ? Category::Lu : Category::Ll;
    }
    return static_cast<Category>(run.kind - 'A');
}

std::string_view name_of(Category category) {
    constexpr std::string_view names =
        "LuLlLtLmLoMnMcMeNdNlNoPcPdPsPePiPfPoSmScSkSoZsZlZpCcCfCsCoCn";
    return names.substr(2 * index(static_cast<int>(category)), 2);
}

int width_of(std::int32_t c) {
    if (c == 0xad) return 1;  // the soft hyphen, although it is a format character
    switch (category_of(c)) {
        case Category::Mn:
        case Category::Mc:
        case Category::Me:
        case Category::Zl:
        case Category::Zp:
        case Category::Cc:
        case Category::Cf:
        case Category::Cs:
            return 0;
        default:
            return is_code_point(c) && widths.at(c).kind == 'w' ? 2 : 1;
    }
}

// ---- GPT-2's pieces ----

namespace pretoken {

namespace {

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

// The length of the contraction ('s|'t|'re|'ve|'m|'ll|'d) at `position`, which is an apostrophe; 0
// if there is none.
std::size_t contraction_length(std::string_view text, std::size_t position) {
    const std::string_view next = text.substr(position + 1, 2);
    if (next == "re" || next == "ve" || next == "ll") return 3;
    if (!next.empty() && std::string_view("stmd").find(next[0]) != std::string_view::npos) return 2;
    return 0;
}

}  // namespace

Character character_at(std::string_view text, std::size_t position) {
    const Kind kind = byte_kinds[static_cast<unsigned char>(text[position])];
    return kind == Kind::not_ascii ? beyond_ascii(text, position) : Character{kind, 1};
}

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

std::size_t run_end(std::string_view text, std::size_t begin, Kind kind, std::size_t most) {
    std::size_t end = begin;
    for (; end < text.size() && most > 0; --most) {
        const Character c = character_at(text, end);
        if (c.kind != kind) break;
        end += c.length;
    }
    return end;
}

}  // namespace pretoken

std::size_t pretoken_end(std::string_view text, std::size_t begin) {
    using namespace pretoken;
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
