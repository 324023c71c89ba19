// Exercise 03_01: softmax at a temperature.
//
//     p_i = e^((s_i − m)/T) / Σ_j e^((s_j − m)/T)        m = the largest logit
//
// Example: the logits ln 1, ln 2, ln 3 have the probabilities 1/6, 2/6, 3/6 at T = 1 and
// 1/14, 4/14, 9/14 at T = 1/2.
//
// m changes nothing on paper, but without it e^1000 is more than a double holds. A logit
// of −∞ gives 0. Everything in double precision. A temperature that is not a finite
// number above 0 is a UsageError. (0 means greedy; another function does that.)
//
// Write one function, about 8 lines. Check: make check EX=03_01
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "exercises/exercise.hpp"
#include "lib/core/error.hpp"
#include "lib/core/math.hpp"

namespace tbt::ex03_01 {

// s: one logit for each token, one at least is finite. portable_exp (math.hpp) is e^x in doubles,
// the same on every machine.
inline std::vector<double> probabilities([[maybe_unused]] std::span<const float> s,
                                         [[maybe_unused]] double T) {
    // >>> write here
    if (!(T > 0 && std::isfinite(T)))
        throw UsageError("temperature: got " + std::to_string(T) + ", expected a number above 0");
    const double m = *std::max_element(s.begin(), s.end());
    std::vector<double> p;
    double sum = 0;
    for (const double x : s) sum += p.emplace_back(portable_exp((x - m) / T));
    for (double& x : p) x /= sum;
    return p;
    // <<< to here
}

}  // namespace tbt::ex03_01
