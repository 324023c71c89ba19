// The format "regex": texts that are regular expressions of ECMA-262, approximated by a regular
// language. For that, groups may be nested only up to a fixed depth.
#pragma once

#include "lib/grammar/automata/dfa.hpp"

namespace tbt {

// validating: the syntax with the flag u, groups at most 12 deep. Not checked: whether the ends of
// ranges and of {m,n} are in order, whether the group of a back reference exists, and whether
// look-around is repeated.
// Otherwise: the syntax that all dialects and regex.hpp read in the same way. It has characters,
// classes, groups at most two deep, repetitions up to nine, ^ at the beginning and $ at the end.
Dfa regular_expressions(bool validating);

}  // namespace tbt
