// Exercise 14_2: follow a grammar: every derivation that fits the text, side by side.
//
// Rules have capital letters for names, every other character stands for itself; each rule has one
// or more alternatives, and texts are derived from S:
//
//     S: "N" or "N+S"     N: "D" or "DN"     D: "0" or "1"
//
// A derivation is what may still come, the next symbol first: "DN+S". It is unfolded when no rule
// is next: while it begins with the name of a rule, each alternative takes the place of that name,
// and gives a derivation of its own. Of "S" that is "0", "1", "0N", "1N", "0+S", "1+S", "0N+S" and
// "1N+S". After a byte, the derivations that begin with it lose it, the others are dropped, and
// what is left is unfolded. A text is in the language when "" is among the derivations after it.
//
// No rule calls itself before something is read. Write three functions, about 20 lines.
// Check: make check EX=14_2
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex14_2 {

using Rules = std::map<char, std::vector<std::string>>;
using Rests = std::set<std::string>;  // derivations: what may still come in each

// The derivations, with no rule next in any of them.
inline Rests unfold([[maybe_unused]] const Rules& rules, [[maybe_unused]] Rests derivations) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// The derivations after one more byte; none: the text is refused.
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
