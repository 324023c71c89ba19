// Exercise 12_2: find the bug in a speculative decoding that is almost right. Its texts look fine.
//
// A drafted token x ~ q is accepted with probability min(1, p(x)/q(x)); after a rejection
// another token is drawn from a second distribution. The token that comes out must have the
// distribution p, that of the target alone. Does it have p with tutorial_correction?
//
// 1. Write `distribution_of_step`. If the second draw has the distribution c, the token that
//    comes out has the distribution
//
//        out_i = min(p_i, q_i) + β·c_i        β = 1 − Σ min(p_j, q_j), how often x is rejected
//
//    Apply it to tutorial_correction: p = (.5, .3, .2), q = (.2, .3, .5)
//    gives (.35, .39, .26), which is not p.
// 2. Find the c for which out = p, and write `right_correction`. If p = q nothing is ever rejected,
//    and rounding may leave a sum of zero: then the result is p, never 0/0.
//
// About 12 lines. Check: make check EX=12_2. It is self-contained: nothing of chapter 12 is needed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex12_2 {

using Distribution = std::vector<double>;  // (V): not negative, sums to 1

// The mistake: after a rejection it draws from the target's distribution p.
inline Distribution tutorial_correction(const Distribution& p, const Distribution&) { return p; }

// The distribution of the token that a step gives when the second draw follows `correction`.
inline Distribution distribution_of_step([[maybe_unused]] const Distribution& p,
                                         [[maybe_unused]] const Distribution& q,
                                         [[maybe_unused]] const Distribution& correction) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// The distribution of the second draw that makes distribution_of_step(p, q, correction) = p.
inline Distribution right_correction([[maybe_unused]] const Distribution& p,
                                     [[maybe_unused]] const Distribution& q) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex12_2
