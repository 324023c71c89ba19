// The format "regex": texts that are regular expressions of ECMA-262, as far as a regular language
// goes. Groups inside of groups are counted up to a depth; that is what makes it regular.
#pragma once

#include "lib/grammar/automata/dfa.hpp"

namespace tbt {

// validating: the syntax with the flag u, groups at most 12 deep. Not compared: the ends of a range
// and of {m,n}, the group that a back reference means, whether look-around is repeated.
// Otherwise what every dialect reads alike, as regex.hpp does: characters, classes, groups at most
// two deep, repetitions up to nine, ^ at the beginning and $ at the end.
Dfa regular_expressions(bool validating);

}  // namespace tbt
