// Properties of Unicode characters: the general category and the width in a terminal.
//
// The tables are our own (unicode_tables.hpp, made from a stated version of the Unicode database),
// so that a tokenizer splits a text in the same way on every system.
#pragma once

#include <cstdint>
#include <string_view>

namespace tbt {

inline constexpr std::int32_t highest_code_point = 0x10ffff;

// The version of the tables: "16.0.0".
std::string_view unicode_version();

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

// Columns in a terminal: 2 for East Asian wide characters, 0 for marks, format and control
// characters, 1 for all others.
int width_of(std::int32_t code_point);

}  // namespace tbt
