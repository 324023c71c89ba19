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
    const double largest = static_cast<double>(*std::max_element(logits.begin(), logits.end()));
    std::vector<Share> all;
    for (std::size_t i = 0; i < logits.size(); ++i) {
        if (std::isinf(logits[i])) continue;
        all.push_back(
            {static_cast<int>(i), portable_exp(static_cast<double>(logits[i]) - largest)});
    }
    const auto logit = [&](const Share& share) {
        return logits[static_cast<std::size_t>(share.id)];
    };
    std::stable_sort(all.begin(), all.end(), [&](auto& a, auto& b) { return logit(a) > logit(b); });
    return all;
    // <<< to here
}

// Divides each probability by the sum of all.
inline void normalise([[maybe_unused]] std::vector<Share>& shares) {
    // >>> write here
    double sum = 0;
    for (const Share& share : shares) sum += share.probability;
    for (Share& share : shares) share.probability /= sum;
    // <<< to here
}

// The tokens that both cuts keep, most probable first.
inline std::vector<Share> top_k_top_p([[maybe_unused]] std::span<const float> logits,
                                      [[maybe_unused]] int k, [[maybe_unused]] double p) {
    // >>> write here
    if (k < 0) throw UsageError("top-k: got " + std::to_string(k) + ", expected 0 (off) or more");
    if (!(p >= 0 && p <= 1))
        throw UsageError("top-p: got " + std::to_string(p) + ", expected 0 to 1");
    std::vector<Share> shares = ranked(logits);
    if (k > 0) shares.resize(std::min(shares.size(), static_cast<std::size_t>(k)));
    normalise(shares);  // top-p asks for a share of what top-k left
    double mass = shares[0].probability;
    std::size_t n = 1;
    while (n < shares.size() && mass < p) mass += shares[n++].probability;
    if (p < 1) shares.resize(n);
    normalise(shares);
    return shares;
    // <<< to here
}

}  // namespace tbt::ex05_1
