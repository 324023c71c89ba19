// Exercise 04_00: the border of top-k.
//
//     kth_largest(s, k)    the k-th largest logit: 1 ≤ k ≤ V. Each of several equal logits
//                          counts.
//     at_least(s, border)  how many logits are at least the border
//
// Example: of {1, 4, 2, 4, 2} the largest is 4, the second is 4, the third is 2. Four of
// them are at least 2: "keep what is at least the third largest" keeps four. That is why
// top-k needs an order among equal ones.
//
// Write two functions, about 2 lines each. Check: make check EX=04_00
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex04_00 {

// s is a copy, so it may be sorted.
inline float kth_largest([[maybe_unused]] std::vector<float> s, [[maybe_unused]] std::size_t k) {
    // >>> write here
    std::sort(s.begin(), s.end(), std::greater<>());
    return s[k - 1];
    // <<< to here
}

inline int at_least([[maybe_unused]] const std::vector<float>& s, [[maybe_unused]] float border) {
    // >>> write here
    int n = 0;
    for (const float x : s) n += x >= border;
    return n;
    // <<< to here
}

}  // namespace tbt::ex04_00
