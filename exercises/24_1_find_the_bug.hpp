// Exercise 24_1: find the bug. A divergence that is negative.
//
// KL(q‖p) is never negative. Most of what our decoder writes is not in the language (p = 0). So
// somebody left these texts out, and took the mean over the valid ones: `over_valid` below. For a
// bad decoder it gives −2 bits, which would be better than perfect.
//
// 1. Write `witness`: two distributions over at most 8 texts, each with the sum 1, for which
//    `over_valid` is less than −1.
// 2. Write `given_valid`: the divergence of q *among the valid texts*. Divide the probabilities
//    that q gives to these texts by their sum, so that they are a distribution again. If q writes
//    no valid text: 0.
//
// Write about 1 line and 8 lines. Check: make check EX=24_1
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex24_1 {

struct Pair {
    std::vector<double> q, p;
};

// The mean of log2(q/p) over the valid texts that q writes.
inline double over_valid(const std::vector<double>& q, const std::vector<double>& p) {
    double bits = 0, valid = 0;
    for (std::size_t x = 0; x < q.size(); ++x) {
        if (q[x] == 0 || p[x] == 0) continue;
        bits += q[x] * std::log2(q[x] / p[x]);
        valid += q[x];
    }
    return valid == 0 ? 0 : bits / valid;
}

inline Pair witness() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

inline double given_valid([[maybe_unused]] const std::vector<double>& q,
                          [[maybe_unused]] const std::vector<double>& p) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex24_1
