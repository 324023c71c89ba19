// One attention head with a KV cache, in plain code. The fast version, which keeps blocks and reads
// sixteen keys at once: lib/model/kv_cache.hpp and lib/model/attention.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "lib/core/check.hpp"
#include "lib/core/math.hpp"

namespace tbt {

using Vector = std::vector<double>;

// The keys and the values of the T tokens read so far, D numbers each.
struct PlainKvCache {
    std::vector<Vector> K, V;  // (T, D)
};

// Reads one more token, given its query, key and value (D). Appends the key and the value to the
// cache, then answers the query from everything in it:
//
//   s_u = q · k_u / √D        answer = Σ_u softmax(s)_u · v_u        u = 0 … T
inline Vector attend_next(PlainKvCache& cache, const Vector& q, const Vector& k, const Vector& v) {
    check_at_least("attend: head size", static_cast<long long>(q.size()), 1);
    check_size("attend: the key", k.size(), q.size());
    check_size("attend: the value", v.size(), q.size());
    if (!cache.K.empty()) check_size("attend: the cached keys", cache.K[0].size(), q.size());
    cache.K.push_back(k);  // (T, D) becomes (T + 1, D)
    cache.V.push_back(v);
    Vector s;
    for (const Vector& k_u : cache.K) {
        double dot = 0;
        for (std::size_t d = 0; d < q.size(); ++d) dot += q[d] * k_u[d];
        s.push_back(dot / std::sqrt(static_cast<double>(q.size())));
    }
    const double largest = *std::max_element(s.begin(), s.end());
    double sum = 0;
    for (double& s_u : s) sum += s_u = portable_exp(s_u - largest);
    Vector answer(q.size(), 0.0);
    for (std::size_t u = 0; u < s.size(); ++u)
        for (std::size_t d = 0; d < q.size(); ++d) answer[d] += s[u] / sum * cache.V[u][d];
    return answer;
}

}  // namespace tbt
