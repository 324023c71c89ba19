// Sets of decimal numbers as regular languages: at least 3.5, less than 100, whole,
// a multiple of 0.01.
//
// A number is compared digit by digit from the left, as one does by eye:
// longer is greater; of equal length the first digit that differs decides.
// All these languages contain every decimal spelling of a value (1, 1.0, 1.00) or none;
// exponents are not among them, since "1" followed by n zeros and "e-n" is one number for each n,
// which no finite automaton can know.
#pragma once

#include <string>

#include "lib/grammar/automata/dfa.hpp"

namespace tbt {

struct Decimal {
    bool negative = false;
    std::string whole = "0",
                fraction;  // digits, without zeros in front of the whole or after the fraction

    // A number of JSON, with or without an exponent. Throws UsageError when it has more than 10,000
    // digits written out.
    static Decimal parse(const std::string& number);
    std::string text() const;
};

const Dfa& decimals();       // -?(0|[1-9][0-9]*)(\.[0-9]+)?
const Dfa& whole_numbers();  // the same with zeros after the point
const Dfa& whole_numbers_without_point();
Dfa at_least(const Decimal& bound, bool strictly);
Dfa at_most(const Decimal& bound, bool strictly);
Dfa equal_to(const Decimal& value);
// Throws UsageError when the automaton would be too large.
Dfa multiple_of(const Decimal& step);
// The one usual spelling of whole numbers: no point, no leading zeros, no minus zero.
const Dfa& plain_integers();

// Numbers with exponents in a JSON text, rewritten without; everything else as it was.
std::string without_exponents(std::string_view json);

// The first number of a JSON text that a double cannot hold: 123456789012345678901234567890, 1e400.
// "": there is none.
std::string inexact_number(std::string_view json);

}  // namespace tbt
