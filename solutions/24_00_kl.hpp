// Exercise 24_00: how far is one distribution from another?
//
//     KL(q‖p) = Σ_x q(x) · log2(q(x) / p(x))      in bits
//
// q and p hold the probabilities of the same texts. A text that q never writes adds nothing. A text
// that q writes and p never does makes the sum infinite (so does a number divided by 0).
//
// Example: q = (1/2, 1/2), p = (1/4, 3/4): 1/2 · 1 + 1/2 · log2(2/3) = .5 − .2925 = .2075.
//
// Write one function, about 4 lines. Check: make check EX=24_00
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex24_00 {

inline double kl([[maybe_unused]] const std::vector<double>& q,
                 [[maybe_unused]] const std::vector<double>& p) {
    // >>> write here
    double bits = 0;
    for (std::size_t x = 0; x < q.size(); ++x)
        if (q[x] > 0) bits += q[x] * std::log2(q[x] / p[x]);
    return bits;
    // <<< to here
}

}  // namespace tbt::ex24_00
