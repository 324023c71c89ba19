// Exercise 12_00: when is a guess accepted, and what takes its place?
//
// A draft with the distribution q has guessed a token x; the target's distribution is p.
//
//     chance(p, q, x)   the probability with which x is accepted: min(1, p(x) / q(x))
//     residual(p, q)    the distribution of the token that comes where a guess was rejected:
//                       max(0, p − q), token by token, divided by its sum
//
// Example: p = (.5, .3, .2), q = (.2, .3, .5). Tokens 0 and 1 are always accepted, token 2 two
// times in five. The residual is (1, 0, 0): p is greater than q for token 0 alone.
//
// x was drawn from q, so q(x) is above 0; p and q differ somewhere, both sum to 1. In doubles.
//
// Write two functions, about 1 line and 5. Check: make check EX=12_00
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex12_00 {

using Distribution = std::vector<double>;

inline double chance([[maybe_unused]] const Distribution& p, [[maybe_unused]] const Distribution& q,
                     [[maybe_unused]] std::size_t x) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

inline Distribution residual([[maybe_unused]] const Distribution& p,
                             [[maybe_unused]] const Distribution& q) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex12_00
