// Exercise 03_00: the segments of the wheel.
//
//     weights(s, T)         e^(s_i / T) for each logit s_i: how large its segment is
//     distribution_of(w)    the probabilities: each weight divided by the sum of all weights
//
// Example: the logits ln 1, ln 2, ln 3 have the weights 1, 2, 3 at T = 1, and the distribution 1/6,
// 2/6, 3/6; at T = 1/2 the weights are 1, 4, 9 and the distribution is 1/14, 4/14, 9/14.
//
// The logits are small here, T is above 0, and at least one weight is above 0. Compute in doubles;
// portable_exp (math.hpp) is e^x.
//
// Write two functions, about 3 and 4 lines. Check: make check EX=03_00
#pragma once

#include <vector>

#include "exercises/exercise.hpp"
#include "lib/core/math.hpp"

namespace tbt::ex03_00 {

using Row = std::vector<double>;

inline Row weights([[maybe_unused]] const Row& s, [[maybe_unused]] double T) {
    // >>> write here
    Row w;
    for (const double x : s) w.push_back(portable_exp(x / T));
    return w;
    // <<< to here
}

inline Row distribution_of([[maybe_unused]] Row w) {
    // >>> write here
    double sum = 0;
    for (const double x : w) sum += x;
    for (double& x : w) x /= sum;
    return w;
    // <<< to here
}

}  // namespace tbt::ex03_00
