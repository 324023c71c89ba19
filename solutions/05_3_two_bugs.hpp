// Exercise 05_3: find the bug in a nucleus, twice.
//
// Below are two nuclei from real programs, both wrong, each in its own way.
// Weights are whole numbers that sum to 100 (so .4 + .3 + .2 is 90, without any rounding),
// sorted, greatest first, all above 0; percent is p, 0 to 100. The rule:
//
//     the smallest prefix whose mass is at least p, never empty
//
// 1. witness_a: weights and a percent for which nucleus_a is wrong and nucleus_b is right.
// 2. witness_b: weights and a percent for which nucleus_b is wrong and nucleus_a is right.
// 3. nucleus: the right one.
//
// First on paper: what do a and b keep of {40, 30, 20, 10} at 90, and at 89?
//
// About 8 lines. Check: make check EX=05_3
#pragma once

#include <cstddef>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex05_3 {

// How many weights stay.
inline std::size_t nucleus_a(const std::vector<int>& weights, int percent) {
    int mass = 0;
    for (std::size_t n = 0; n < weights.size(); ++n) {
        mass += weights[n];
        if (mass > percent) return n + 1;
    }
    return weights.size();
}

inline std::size_t nucleus_b(const std::vector<int>& weights, int percent) {
    int mass = 0;
    std::size_t n = 0;
    while (n < weights.size() && mass + weights[n] <= percent) mass += weights[n++];
    return n;
}

struct Witness {
    std::vector<int> weights;
    int percent = 0;
};

inline Witness witness_a() {
    // >>> write here
    return {{40, 30, 20, 10}, 90};
    // <<< to here
}

inline Witness witness_b() {
    // >>> write here
    return {{40, 30, 20, 10}, 89};
    // <<< to here
}

inline std::size_t nucleus([[maybe_unused]] const std::vector<int>& weights,
                           [[maybe_unused]] int percent) {
    // >>> write here
    int mass = weights[0];
    std::size_t n = 1;
    while (mass < percent) mass += weights[n++];
    return n;
    // <<< to here
}

}  // namespace tbt::ex05_3
