// Regular expressions, in the notation of JavaScript (ECMA-262), which JSON Schema uses too.
// Characters are code points.
//
//   a . [a-z] [^a-z] \d \w \s \D \W \S \n \t \x41 \u0041 \u{1F600} \p{Letter}   characters
//   ab  a|b  (a) (?:a) (?<name>a)   a* a+ a? a{2} a{2,} a{2,5}   ^ $            combinations
//
// What no automaton can decide (back references), and what is left out here (look-around, \b,
// flags), is refused by name.
#pragma once

#include <string>
#include <string_view>

#include "lib/grammar/automata/dfa.hpp"
#include "lib/grammar/automata/expression.hpp"

namespace tbt {

// Throws UsageError "NAME: column: what".
Expression parse_regex(std::string_view text, const std::string& name = "regular expression");

// The texts that match as a whole, and those in which a match occurs somewhere.
Dfa regex_whole(std::string_view text, const std::string& name = "regular expression");
Dfa regex_search(std::string_view text, const std::string& name = "regular expression");

}  // namespace tbt
