// Exercise 05_01: top-p: keep the nucleus.
//
// Keep tokens by descending probability (the lower id first if equal), until the sum of those kept
// is P or more. The token that reaches P is the last one kept; at least one is kept.
// The other probabilities become 0, and the kept ones are divided by their sum, so that they
// sum to 1 again. Example: {.1, .5, .15, .25} and P = .7 give {0, 2/3, 0, 1/3}.
//
// In doubles .4 + .3 + .2 is .8999999999999999, which should reach .9: so a sum reaches P when it
// is at least P − 10^-12. A token of probability 0 never stays, even with P = 1.
// A P outside [0, 1] is a UsageError.
//
// Write one function, about 14 lines. Check: make check EX=05_01
#pragma once

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "exercises/exercise.hpp"
#include "lib/core/error.hpp"

namespace tbt::ex05_01 {

// p: one probability for each token, by id; they sum to 1. Returns the distribution after the cut.
inline std::vector<double> nucleus([[maybe_unused]] const std::vector<double>& p,
                                   [[maybe_unused]] double P) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex05_01
