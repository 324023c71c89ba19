// Exercise 08_03: no n-gram twice.
//
// An n-gram is n tokens in a row. With this ban, none may occur in the text twice. Take the last
// n − 1 tokens of the text: wherever they occurred before, the token that followed them is
// banned now. Example: n = 3 and the text 1 2 3 4 1 2 5 1 2 ban 3 and 5.
//
// A text of fewer than n tokens bans none. The n-grams may overlap: n = 3 and 7 7 7 ban 7.
// n = 1 bans every token of the text. n = 0 is off, n below 0 is a UsageError.
//
// Write one function, about 8 lines. Check: make check EX=08_03
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "exercises/exercise.hpp"
#include "lib/core/error.hpp"

namespace tbt::ex08_03 {

// The ids that may not come next.
inline std::set<int> banned_now([[maybe_unused]] const std::vector<int>& text,
                                [[maybe_unused]] int n) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex08_03
