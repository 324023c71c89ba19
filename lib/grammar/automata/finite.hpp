// Lengths of the texts of a regular language, in characters (code points). The .cpp also has
// Dfa::of for a list of texts.
#pragma once

#include "lib/grammar/automata/dfa.hpp"

namespace tbt {

// The length of the shortest text; −1 if the language is empty.
long long shortest_length(const Dfa& dfa);
// The length of the longest text; −1 if lengths are unbounded or the language is empty.
long long longest_length(const Dfa& dfa);
// Is there a text of least to most characters? most −1: no upper limit.
bool has_length(const Dfa& dfa, long long least, long long most);

// The smallest n such that at least `texts` texts have at most n characters, all of them printable
// ASCII that JSON does not escape. −1 if there is no such n up to 1000.
int enough_characters(const Dfa& dfa, long long texts);

}  // namespace tbt
