// Decimal numbers that programs can read from JSON without rounding that matters.
#pragma once

#include <optional>

#include "lib/grammar/automata/dfa.hpp"

namespace tbt {

// The numbers of a set that stay valid when a reader rounds them to a double: those of at most 15
// digits. All numbers of the set if it is finite, if none is that short, or if rounding always
// leads to a number of the set (as for whole numbers from 5 on).
Dfa held_by_a_double(const Dfa& numbers);

// The spellings of numbers to generate, such that every reader holds them and finds them valid.
// numbers: the valid ones; none: any number. everyday: at most 15 digits, no exponents, whole
// numbers without a point. Otherwise all that the schema allows, but at most 15 digits if rounding
// could break a demand. Exponents have at most two digits. If there are demands, exponents are used
// only if all numbers on that side of 1 meet them.
Dfa written_numbers(const SharedDfa& numbers, bool everyday);

}  // namespace tbt
