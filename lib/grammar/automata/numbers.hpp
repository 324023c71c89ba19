// Sets of decimal numbers as regular languages: at least 3.5, less than 100, whole,
// a multiple of 0.01.
//
// Numbers are compared digit by digit from the left: the longer whole part is greater; of equal
// length, the first digit that differs decides.
// Each of these languages contains either all decimal spellings of a value (1, 1.0, 1.00) or none,
// except the two that say so. Spellings with exponents are not included: "1" followed by n zeros
// and "e-n" is the number 1 for every n, and no finite automaton can count the zeros.
#pragma once

#include <map>
#include <string>

#include "lib/grammar/automata/dfa.hpp"

namespace tbt {

struct Decimal {
    bool negative = false;
    // Digits, without leading zeros in `whole` and without trailing zeros in `fraction`.
    std::string whole = "0", fraction;

    // number: a number in JSON's syntax, which is not checked. Throws TooLarge if it has more
    // than 10,000 digits when written without its exponent.
    static Decimal parse(const std::string& number);
    std::string text() const;
};

const Dfa& decimals();                     // -?(0|[1-9][0-9]*)(\.[0-9]+)?
const Dfa& whole_numbers();                // the same, with only zeros after the point
const Dfa& whole_numbers_without_point();  // of each value only the spelling without a point
// strictly: the bound itself is not included.
Dfa at_least(const Decimal& bound, bool strictly);
Dfa at_most(const Decimal& bound, bool strictly);
Dfa equal_to(const Decimal& value);
// Throws UsageError if the automaton would need more than 20,000 states.
Dfa multiple_of(const Decimal& step);
// The usual spelling only, of whole numbers and of all: no needless point, no leading zeros, none
// at the end of a fraction, no minus zero.
const Dfa& plain_integers();
const Dfa& plain_decimals();

// The numbers of a JSON text that neither a double nor 64 bits hold exactly, as written, by their
// place among all its numbers. Examples: 123456789012345678901234567890, 1e400.
std::map<int, std::string> inexact_numbers(std::string_view json);

}  // namespace tbt
