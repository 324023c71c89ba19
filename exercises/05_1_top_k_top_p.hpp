// Exercise 05_1: top-k and top-p together.
//
// Both truncations, one after the other, as in nearly every chat program:
//
//     1. p_i = e^(s_i) / Σ_j e^(s_j)
//     2. keep the k most probable tokens; of equal logits the lower id comes first;
//        k = 0 or k > V keeps all
//     3. p_i ← p_i / Σ_kept p_j
//     4. of these, sorted by probability, the greatest first, keep the smallest prefix whose mass
//        is at least p; it is never empty
//     5. p_i ← p_i / Σ_kept p_j
//
// Logits are finite or −∞, at least one is finite; a token at −∞ is never kept.
// A k below 0 and a p outside [0, 1] are a UsageError that says what was got and what is allowed.
//
// Write it from the logits, without the steps of chapters 04 and 05: three functions, about
// 10, 3 and 12 lines. Check: make check EX=05_1
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "exercises/exercise.hpp"
#include "lib/core/error.hpp"
#include "lib/core/math.hpp"

namespace tbt::ex05_1 {

struct Share {
    int id = 0;
    double probability = 0;
};

// The tokens that can come, the greatest logit first. All probabilities may be too large by the
// same factor: e^(s − the greatest logit) will do. portable_exp (math.hpp) is e^x.
inline std::vector<Share> ranked([[maybe_unused]] std::span<const float> logits) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// Divides each probability by the sum of all.
inline void normalise([[maybe_unused]] std::vector<Share>& shares) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// The tokens that both cuts keep, most probable first.
inline std::vector<Share> top_k_top_p([[maybe_unused]] std::span<const float> logits,
                                      [[maybe_unused]] int k, [[maybe_unused]] double p) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex05_1
