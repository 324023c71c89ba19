// Exercise 03_02: the draw: spin a wheel of fortune.
//
// The wheel has W notches; token i holds w_i of them, in the order of the ids: first all
// notches of token 0, then those of token 1, … So W = Σ w_i. A random number u in [0, 1) points at
// notch ⌊u·W⌋, counted from 0. Which token holds this notch?
//
// Example: w = {2, 0, 1, 5}. W = 8; u = .2 points at notch 1, which is token 0's; u = .25 at
// notch 2, token 2's. Token 1 holds none, so it never comes.
//
// A u outside [0, 1) is a UsageError. If the wheel has no notches, throw Error.
//
// Write one function, about 8 lines. Check: make check EX=03_02
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "exercises/exercise.hpp"
#include "lib/core/error.hpp"

namespace tbt::ex03_02 {

// w: the notches of each token, all together less than 2^53. Returns the token's id.
inline int spin([[maybe_unused]] const std::vector<std::uint64_t>& w, [[maybe_unused]] double u) {
    // >>> write here
    if (!(u >= 0 && u < 1))
        throw UsageError("spin: u is " + std::to_string(u) + ", expected a number in [0, 1)");
    std::uint64_t W = 0;
    for (const std::uint64_t w_i : w) W += w_i;
    if (W == 0) throw Error("spin: no token holds a notch");
    auto notch = static_cast<std::uint64_t>(u * static_cast<double>(W));
    std::size_t i = 0;
    while (notch >= w[i]) notch -= w[i++];
    return static_cast<int>(i);
    // <<< to here
}

}  // namespace tbt::ex03_02
