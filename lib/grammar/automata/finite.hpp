// How long the texts of a regular language are, in characters; and Dfa::of a list of texts.
#pragma once

#include "lib/grammar/automata/dfa.hpp"

namespace tbt {

// Of the shortest text; −1: the language is empty.
long long shortest_length(const Dfa& dfa);
// Of the longest one; −1: there is none longer than all others, or the language is empty.
long long longest_length(const Dfa& dfa);
// Is there a text of at least and at most so many characters? most −1: of any number.
bool has_length(const Dfa& dfa, long long least, long long most);

// The least number of characters such that so many texts of plain ASCII (nothing that JSON escapes)
// have at most that many; −1: there are not so many.
int enough_characters(const Dfa& dfa, long long texts);

}  // namespace tbt
