// What Unicode says of a character: its general category, and how many columns it fills.
//
// The tables are our own (unicode_tables.hpp, made from a stated version of the database), so that
// a tokenizer cuts a text in the same places on every system, whichever libraries it has.
#pragma once

#include <cstdint>
#include <string_view>

namespace tbt {

inline constexpr std::int32_t highest_code_point = 0x10ffff;

// "16.0.0", of the tables.
std::string_view unicode_version();

// The general categories by their short names: Lu, a capital letter; Nd, a decimal digit; …
enum class Category : unsigned char {
    // clang-format off
    Lu, Ll, Lt, Lm, Lo, Mn, Mc, Me, Nd, Nl, No, Pc, Pd, Ps, Pe, Pi, Pf, Po, Sm, Sc, Sk, So,
    Zs, Zl, Zp, Cc, Cf, Cs, Co, Cn
    // clang-format on
};

// Cn, not assigned, for what is no code point.
Category category_of(std::int32_t code_point);
std::string_view name_of(Category category);  // "Lu"

inline bool is_letter(Category c) { return c <= Category::Lo; }
inline bool is_number(Category c) { return c >= Category::Nd && c <= Category::No; }

// Columns in a terminal: 2 for East Asian wide characters, 0 for marks, format and control
// characters, 1 for all others.
int width_of(std::int32_t code_point);

}  // namespace tbt
