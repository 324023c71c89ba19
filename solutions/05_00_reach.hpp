// Exercise 05_00: how many tokens does it take to reach P?
//
//     reach(p, P)   the number of tokens of the nucleus. p has the probabilities, the greatest
//                   first; they are added up until the sum is P or more. The token that
//                   reaches P counts, and at least one token counts.
//
// Example: {.5, .25, .15, .1} and P = .7 need two: .5 and .25 are .75. P = .5 needs one, P = 0 too.
//
// In doubles .4 + .3 + .2 is .8999999999999999, which should reach .9: so a sum reaches P when it
// is at least P − 10^-12. P is at most 1; if rounding leaves the sum of all below P, all count.
//
// Write one function, about 4 lines. Check: make check EX=05_00
#pragma once

#include <cstddef>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex05_00 {

// p has at least one probability.
inline std::size_t reach([[maybe_unused]] const std::vector<double>& p, [[maybe_unused]] double P) {
    // >>> write here
    std::size_t n = 1;
    double sum = p[0];
    while (n < p.size() && sum < P - 1e-12) sum += p[n++];
    return n;
    // <<< to here
}

}  // namespace tbt::ex05_00
