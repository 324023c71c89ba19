// Exercise 19_1: the backward pass of layer norm, from its formulas.
//
// The forward pass of a row of C numbers:
//
//     μ = Σ x / C      r = 1/√(Σ (x − μ)²/C + ε)      x̂ = (x − μ)·r      y = x̂·gain + bias
//
// The backward pass begins with d_y, which comes from the layers after this one: the change of the
// loss for a small change of each y. With g = d_y·gain (number by number):
//
//     d_gain += d_y·x̂        d_bias += d_y
//     d_x += r·( g − mean(g) − x̂·mean(g·x̂) )
//
// The gradients are added, not set: a number that is used in several places collects what comes
// from each of them. The two means are there because μ and r depend on every x. Adding the same
// number to all x changes no y, so the new part of d_x sums to 0. Stretching the row around its
// mean changes y hardly at all.
//
// The forward pass checks your work: a gradient is right if it predicts what a small change does.
//
// Write one function, about 16 lines. Check: make check EX=19_1
#pragma once

#include <cmath>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex19_1 {

using Row = std::vector<double>;
constexpr double epsilon = 1e-5;

// All rows have C numbers. The gradients are added to d_x, d_gain and d_bias.
inline void layer_norm_backward([[maybe_unused]] const Row& x, [[maybe_unused]] const Row& gain,
                                [[maybe_unused]] const Row& d_y, [[maybe_unused]] Row& d_x,
                                [[maybe_unused]] Row& d_gain, [[maybe_unused]] Row& d_bias) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex19_1
