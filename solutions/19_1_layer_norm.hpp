// Exercise 19_1: the backward pass of layer norm, by hand.
//
// Forward, a row of C numbers:
//
//     μ = Σ x / C      r = 1/√(Σ (x − μ)²/C + ε)      x̂ = (x − μ)·r      y = x̂·gain + bias
//
// Backward: something after this layer knows d_y, the change of the loss for a small change
// of each y. Then, with g = d_y·gain (number by number):
//
//     d_gain += d_y·x̂        d_bias += d_y
//     d_x += r·( g − mean(g) − x̂·mean(g·x̂) )
//
// Added, not set: a number that is used in several places collects what comes from each.
// The two means are there because μ and r depend on every x: a change of all x alike changes no y,
// so d_x sums to 0; and nearly none when the row is stretched.
//
// Write one function, about 16 lines. Check: make check EX=19_1. Your judge is the forward
// pass: a gradient is right when it is what a small change does.
#pragma once

#include <cmath>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex19_1 {

using Row = std::vector<double>;
constexpr double epsilon = 1e-5;

// All rows have C numbers; the last three are added to.
inline void layer_norm_backward([[maybe_unused]] const Row& x, [[maybe_unused]] const Row& gain,
                                [[maybe_unused]] const Row& d_y, [[maybe_unused]] Row& d_x,
                                [[maybe_unused]] Row& d_gain, [[maybe_unused]] Row& d_bias) {
    // >>> write here
    const std::size_t C = x.size();
    const auto size = static_cast<double>(C);
    double mean = 0, variance = 0, mean_g = 0, mean_gx = 0;
    for (const double v : x) mean += v / size;
    for (const double v : x) variance += (v - mean) * (v - mean) / size;
    const double r = 1 / std::sqrt(variance + epsilon);
    const auto normal = [&](std::size_t i) { return (x[i] - mean) * r; };
    for (std::size_t i = 0; i < C; ++i) {
        mean_g += d_y[i] * gain[i] / size;
        mean_gx += d_y[i] * gain[i] * normal(i) / size;
    }
    for (std::size_t i = 0; i < C; ++i) {
        d_gain[i] += d_y[i] * normal(i);
        d_bias[i] += d_y[i];
        d_x[i] += r * (d_y[i] * gain[i] - mean_g - normal(i) * mean_gx);
    }
    // <<< to here
}

}  // namespace tbt::ex19_1
