// Decimal numbers that readers of JSON hold as they stand.
#pragma once

#include <optional>

#include "lib/grammar/automata/dfa.hpp"

namespace tbt {

// Numbers that every reader holds exactly enough to validate them as they are: those of at most 15
// digits, as a double does. All of them where they are finitely many, where none is so short, and
// where rounding leads to others of them only (whole numbers from 5 on).
Dfa held_by_a_double(const Dfa& numbers);

// Numbers as they are written, so that every reader has room for them and validates them as they
// are. everyday: at most 15 digits, no exponents, whole ones without a point. Otherwise as the
// schema allows, but at most 15 digits where rounding could break a demand, and exponents of two
// digits, of a demand only where all numbers on one side of 1 meet it. nullopt: any number.
Dfa written_numbers(const std::optional<Dfa>& numbers, bool everyday);

}  // namespace tbt
