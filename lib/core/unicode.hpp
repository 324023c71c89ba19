// Characters: UTF-8 for texts that may be broken (a byte that is not part of a well-formed sequence
// is treated as a unit of its own), Unicode's categories and widths, and GPT-2's pieces of a text.
//
// The tables are our own (unicode_tables.hpp, made from a stated version of the Unicode database),
// so that a text has the same tokens on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tbt {

// ---- UTF-8 ----

// The first character of some bytes, as the Unicode standard defines it (§3.9, table 3-7).
struct Utf8Head {
    enum Kind { complete, cut, broken } kind;  // cut: the bytes end before the character does
    // In bytes. If broken: the bytes that one U+FFFD replaces together.
    std::size_t length;
};
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

// ---- categories and widths ----

inline constexpr std::int32_t highest_code_point = 0x10ffff;

// The general categories by their short names: Lu, a capital letter; Nd, a decimal digit; …
enum class Category : unsigned char {
    // clang-format off
    Lu, Ll, Lt, Lm, Lo, Mn, Mc, Me, Nd, Nl, No, Pc, Pd, Ps, Pe, Pi, Pf, Po, Sm, Sc, Sk, So,
    Zs, Zl, Zp, Cc, Cf, Cs, Co, Cn
    // clang-format on
};

// The category of a code point; Cn (not assigned) for a number that is not a code point.
Category category_of(std::int32_t code_point);
std::string_view name_of(Category category);  // "Lu"

inline bool is_letter(Category c) { return c <= Category::Lo; }
inline bool is_number(Category c) { return c >= Category::Nd && c <= Category::No; }

// Columns in a terminal: 2 for East Asian wide characters, 0 for marks, control and format
// characters (but the soft hyphen), 1 for all others.
int width_of(std::int32_t code_point);

// ---- GPT-2's pieces ----
//
// Pre-tokenization splits a text into words, numbers, punctuation and white space. No token crosses
// the border of such a piece. GPT-2 uses the regular expression
//
//     's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
//
// [Radford et al. 2019]. Here it is a scanner that reads the text once.

// The end of the piece that starts at byte `begin` < text.size(). Bytes that are not UTF-8 count as
// punctuation.
std::size_t pretoken_end(std::string_view text, std::size_t begin);

// Calls visit(piece) for each of GPT-2's pieces in order; joined, the pieces are the text.
template <class Visit>
void for_each_pretoken(std::string_view text, Visit&& visit) {
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = pretoken_end(text, begin);
        visit(text.substr(begin, end - begin));
        begin = end;
    }
}

// What the scanner is made of, for those of other models (lib/text).
namespace pretoken {

enum class Kind : unsigned char { letter, number, space, other, not_ascii };
struct Character {
    Kind kind;
    std::size_t length;
};
// The character at a byte of the text.
Character character_at(std::string_view text, std::size_t position);
// Throws Error unless a piece can begin there.
void check_begin(std::string_view text, std::size_t begin);
// The end of a run of characters of one kind, at most `most` characters long.
std::size_t run_end(std::string_view text, std::size_t begin, Kind kind,
                    std::size_t most = std::string_view::npos);
// \s+(?!\S)|\s+: all white space at the end of the text; before a word, all but the last
// character, which begins the next piece (a space with the word, another one alone).
std::size_t white_space_end(std::string_view text, std::size_t begin);

}  // namespace pretoken

}  // namespace tbt
