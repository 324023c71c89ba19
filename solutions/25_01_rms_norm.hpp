// Exercise 25_01: RMS norm.
//
//     y_i = x_i / √(mean of x² + ε) · γ_i
//
// Example, with ε = 0: x = (3, 4) and γ = (1, 10) give 3/3.5355 = .8485 and 4/3.5355 · 10 = 11.314.
// The mean is not subtracted. ε is inside the root: for x = (.001, .001) and ε = 10^-6 the root is
// √(2 · 10^-6), and x becomes .7071. Gemma's files hold γ − 1: with `adds_one`, multiply by 1 + γ_i
// instead.
//
// Write one function, about 6 lines. Check: make check EX=25_01
#pragma once

#include <cmath>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex25_01 {

using Row = std::vector<double>;

// x and gamma have the same size, which is at least 1.
inline Row rms_norm([[maybe_unused]] const Row& x, [[maybe_unused]] const Row& gamma,
                    [[maybe_unused]] double epsilon, [[maybe_unused]] bool adds_one = false) {
    // >>> write here
    double sum = 0;
    for (const double v : x) sum += v * v;
    const double root = std::sqrt(sum / static_cast<double>(x.size()) + epsilon);
    Row y;
    for (std::size_t i = 0; i < x.size(); ++i)
        y.push_back(x[i] / root * (adds_one ? 1 + gamma[i] : gamma[i]));
    return y;
    // <<< to here
}

}  // namespace tbt::ex25_01
