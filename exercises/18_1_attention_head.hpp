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
    throw NotWritten();
    // <<< to here
}

inline Rows attend([[maybe_unused]] const Rows& q, [[maybe_unused]] const Rows& k,
                   [[maybe_unused]] const Rows& v) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex18_1
