// Exercise 25_03: grouped heads, at one position.
//
// H query heads read K heads of keys and values; K divides H. The first H/K query heads read key
// head 0, the next H/K read key head 1, and so on.
//
//     key_head(j, H, K)             the key head of query head j
//     bytes(L, K, D, T, b)          the bytes of a cache of keys and values: L layers, K key heads
//                                   of D components, T tokens, b bytes for each number
//     answers(q, keys, values)      for each query head j: attend(q[j], keys of its key head,
//                                   values of its key head). q[j] is the query of head j (D
//                                   numbers). keys[g][u] and values[g][u] are the rows of key head
//                                   g at position u.
//
// Example: with H = 6 and K = 2, query heads 0, 1, 2 read key head 0, and 3, 4, 5 read key head 1.
// Llama 3.1 8B has L = 32, K = 8, D = 128: with 2 bytes for each number, a token takes 131,072
// bytes.
//
// attend is given. Write three functions, of about 1, 1 and 4 lines. Check: make check EX=25_03
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex25_03 {

using Row = std::vector<double>;
using Rows = std::vector<Row>;

// Softmax of the scores q · k_u / √D, then the weighted sum of the values (chapter 18).
inline Row attend(const Row& q, const Rows& keys, const Rows& values) {
    Row s, out(q.size(), 0.0);
    for (const Row& k : keys) {
        double score = 0;
        for (std::size_t d = 0; d < q.size(); ++d) score += q[d] * k[d];
        s.push_back(score / std::sqrt(static_cast<double>(q.size())));
    }
    const double largest = *std::max_element(s.begin(), s.end());
    double sum = 0;
    for (double& e : s) sum += e = std::exp(e - largest);
    for (std::size_t u = 0; u < s.size(); ++u)
        for (std::size_t d = 0; d < q.size(); ++d) out[d] += s[u] / sum * values[u][d];
    return out;
}

inline std::size_t key_head([[maybe_unused]] std::size_t j, [[maybe_unused]] std::size_t H,
                            [[maybe_unused]] std::size_t K) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

inline std::size_t bytes([[maybe_unused]] std::size_t L, [[maybe_unused]] std::size_t K,
                         [[maybe_unused]] std::size_t D, [[maybe_unused]] std::size_t T,
                         [[maybe_unused]] std::size_t b) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

inline Rows answers([[maybe_unused]] const Rows& q, [[maybe_unused]] const std::vector<Rows>& keys,
                    [[maybe_unused]] const std::vector<Rows>& values) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex25_03
