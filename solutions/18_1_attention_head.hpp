// Exercise 18_1: one attention head, from its formulas.
//
// The rows of q, k and v (T, D) hold a query, a key and a value for each of T positions. For every
// t:
//
//     s_u = (q_t · k_u) / √D             for u = 0 … t, and for no u after t
//     a_u = e^(s_u) / Σ_j e^(s_j)        the attention weights: softmax over what t may see
//     out_t = Σ_u a_u · v_u
//
// Scores may be in the hundreds, and e^200 is more than a float holds: so subtract the greatest
// score first. Rows of different lengths, or different numbers of queries, keys and values: Error.
//
// Write two functions, about 8 and 15 lines. Check: make check EX=18_1
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "exercises/exercise.hpp"
#include "lib/core/error.hpp"

namespace tbt::ex18_1 {

using Row = std::vector<float>;
using Rows = std::vector<Row>;

// Returns D. Throws Error if the sizes do not fit together.
inline std::size_t checked_size([[maybe_unused]] const Rows& q, [[maybe_unused]] const Rows& k,
                                [[maybe_unused]] const Rows& v) {
    // >>> write here
    if (k.size() != q.size() || v.size() != q.size())
        throw Error("attend: got " + std::to_string(q.size()) + " queries, " +
                    std::to_string(k.size()) + " keys and " + std::to_string(v.size()) +
                    " values, expected as many of each");
    const std::size_t D = q.empty() ? 0 : q[0].size();
    for (const Rows* rows : {&q, &k, &v})
        for (const Row& row : *rows)
            if (row.size() != D)
                throw Error("attend: got a row of " + std::to_string(row.size()) +
                            " numbers, expected " + std::to_string(D));
    return D;
    // <<< to here
}

inline Rows attend([[maybe_unused]] const Rows& q, [[maybe_unused]] const Rows& k,
                   [[maybe_unused]] const Rows& v) {
    // >>> write here
    const std::size_t D = checked_size(q, k, v);
    const float scale = 1 / std::sqrt(static_cast<float>(D));
    Rows out;
    for (std::size_t t = 0; t < q.size(); ++t) {
        Row s(t + 1, 0.0f), mixed(D, 0.0f);
        for (std::size_t u = 0; u <= t; ++u)
            for (std::size_t d = 0; d < D; ++d) s[u] += q[t][d] * k[u][d] * scale;
        const float largest = *std::max_element(s.begin(), s.end());
        float sum = 0;
        for (float& e : s) sum += e = std::exp(e - largest);
        for (std::size_t u = 0; u <= t; ++u)
            for (std::size_t d = 0; d < D; ++d) mixed[d] += s[u] / sum * v[u][d];
        out.push_back(mixed);
    }
    return out;
    // <<< to here
}

}  // namespace tbt::ex18_1
