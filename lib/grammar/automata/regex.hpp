// Regular expressions in the syntax of JavaScript (ECMA-262), which JSON Schema uses too.
// Characters are code points. Of Python's syntax (?P<name>a), \A and \Z are read, too.
//
//   a . [a-z] [^a-z] \d \w \s \D \W \S \n \t \x41 \u0041 \u{1F600} \p{Letter}   characters
//   ab  a|b  (a) (?:a) (?<name>a)   a* a+ a? a{2} a{2,} a{2,5}   ^ $            combinations
//   (?=a) (?!a) (?<=a) (?<!a) \b \B                                             look-around
//
// Refused with a message that names the construct: back references, which no automaton can decide,
// flags, what in a look-around looks the other way: (?<=a$), (?=a(?<!b)), and {,n}, which repeats
// in Python but not in JavaScript.
#pragma once

#include <string>
#include <string_view>

#include "lib/grammar/automata/dfa.hpp"
#include "lib/grammar/automata/expression.hpp"

namespace tbt {

// Throws UsageError "NAME: column N: what is wrong".
Expression parse_regex(std::string_view text, const std::string& name = "regular expression");

// regex_full_match: the texts that match as a whole. regex_search: those that contain a match. Both
// throw as parse_regex does, and TooLarge as Dfa::of does.
Dfa regex_full_match(std::string_view text, const std::string& name = "regular expression");
Dfa regex_search(std::string_view text, const std::string& name = "regular expression");

}  // namespace tbt
