// Exercise 18_01: how a position shares its attention.
//
// A query q, a row of D numbers, is compared with the keys of all T positions, which are rows of D
// numbers, too. The query is at position t. It sees the keys 0 … t; the keys after t are masked.
//
//     score(q, k)           (q · k) / √D, where q · k = Σ_d q_d k_d
//     shares(q, keys, t)    the T attention weights: softmax over the scores of the keys. A masked
//                           key has the score −∞, so its weight is 0 and the others sum to 1.
//
// Example: q = (1, 0) has the scores 1.414 and 0 with the keys (2, 0) and (0, 3). At t = 1 the
// weights are .804 and .196; at t = 0 they are 1 and 0.
//
// softmax is given. Compute in doubles.
//
// Write two functions, about 3 lines each. Check: make check EX=18_01
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "exercises/exercise.hpp"
#include "lib/core/math.hpp"

namespace tbt::ex18_01 {

using Row = std::vector<double>;

// e^s_i / Σ e^s_j, with the largest s subtracted first. −∞ gives 0; at least one s is finite.
inline Row softmax(const Row& s) {
    const double largest = *std::max_element(s.begin(), s.end());
    Row p;
    double sum = 0;
    for (const double x : s) sum += p.emplace_back(portable_exp(x - largest));
    for (double& x : p) x /= sum;
    return p;
}

inline double score([[maybe_unused]] const Row& q, [[maybe_unused]] const Row& k) {
    // >>> write here
    double sum = 0;
    for (std::size_t d = 0; d < q.size(); ++d) sum += q[d] * k[d];
    return sum / std::sqrt(static_cast<double>(q.size()));
    // <<< to here
}

// t is below the number of keys.
inline Row shares([[maybe_unused]] const Row& q, [[maybe_unused]] const std::vector<Row>& keys,
                  [[maybe_unused]] std::size_t t) {
    // >>> write here
    Row s;
    for (std::size_t u = 0; u < keys.size(); ++u)
        s.push_back(u <= t ? score(q, keys[u]) : -INFINITY);
    return softmax(s);
    // <<< to here
}

}  // namespace tbt::ex18_01
