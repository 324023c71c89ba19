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
    if (!(P >= 0 && P <= 1))
        throw UsageError("top-p: got " + std::to_string(P) + ", expected a number from 0 to 1");
    std::vector<std::size_t> ids(p.size());
    std::iota(ids.begin(), ids.end(), std::size_t{0});
    std::stable_sort(ids.begin(), ids.end(),
                     [&](std::size_t a, std::size_t b) { return p[a] > p[b]; });
    std::vector<double> kept(p.size());
    double sum = 0;
    for (const std::size_t id : ids) {
        if (sum > 0 && sum >= P - 1e-12) break;
        sum += kept[id] = p[id];
    }
    for (double& x : kept) x /= sum;
    return kept;
    // <<< to here
}

}  // namespace tbt::ex05_01
