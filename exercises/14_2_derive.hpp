// Exercise 14_2: follow a grammar: every derivation that fits the text, side by side.
//
// The names of rules are capital letters; every other character stands for itself. Each rule has
// one or more alternatives, and every text is derived from S:
//
//     S: "N" or "N+S"     N: "D" or "DN"     D: "0" or "1"
//
// A derivation is a string that says what must still come, the next symbol first: "DN+S". While it
// begins with the name of a rule, it is unfolded: it is replaced by one derivation for each
// alternative of the rule, in which the alternative takes the place of the name. Unfolding "S"
// gives "0", "1", "0N", "1N", "0+S", "1+S", "0N+S" and "1N+S". After a byte, the derivations that
// begin with this byte lose it and are unfolded; all others are dropped. A text is in the language
// if "" is one of the derivations after its last byte.
//
// No rule can reach itself again before a byte is read. Write three functions, about 20 lines.
// Check: make check EX=14_2
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex14_2 {

using Rules = std::map<char, std::vector<std::string>>;
using Rests = std::set<std::string>;  // derivations: each says what must still come

// Unfolds the derivations, until none of them begins with the name of a rule.
inline Rests unfold([[maybe_unused]] const Rules& rules, [[maybe_unused]] Rests derivations) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// The derivations after one more byte. If there are none, the text is refused.
inline Rests step([[maybe_unused]] const Rules& rules, [[maybe_unused]] const Rests& now,
                  [[maybe_unused]] char byte) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// Is the whole text in the language?
inline bool accepts([[maybe_unused]] const Rules& rules, [[maybe_unused]] const std::string& text) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex14_2
