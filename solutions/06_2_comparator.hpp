// Exercise 06_2: compare decoding strategies by what they draw.
//
// A strategy turns the model's distribution p into a distribution q: greedy, top-k, top-p,
// … Draw a thousand tokens and ask three things:
//
//     entropy(q)   H = −Σ q ln q, in nats; a token with q = 0 adds nothing
//     KL(q‖p)      Σ q ln(q/p): how far q has moved away from p, in nats.
//                  q = 0 adds nothing; if only p = 0, KL is infinite. So
//                  KL(p‖q), in the other direction, is infinite for every
//                  strategy that drops a token.
//     frequencies  of the draws: a distribution as well, the empirical one
//
// Neither entropy nor KL is ever negative: return 0 if rounding gives less. Distributions of
// different sizes, a draw outside the vocabulary, and no draws at all are an Error.
//
// Why is KL(empirical‖p) .416 for pure sampling, which drops nothing?
// A thousand draws from a thousand tokens hit only about 334 of them.
// The distance is that of the sample, not of the strategy: KL(q‖p) itself is exactly 0.
//
// Write three functions, about 20 lines. Check: make check EX=06_2.
// Then see the table: make try EX=06_2
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "exercises/exercise.hpp"
#include "lib/core/error.hpp"
#include "lib/core/math.hpp"

namespace tbt::ex06_2 {

// portable_log (math.hpp) is ln x.
inline double entropy([[maybe_unused]] std::span<const double> q) {
    // >>> write here
    double h = 0;
    for (const double x : q) {
        if (x > 0) h -= x * portable_log(x);
    }
    return std::max(h, 0.0);
    // <<< to here
}

inline double kl([[maybe_unused]] std::span<const double> q,
                 [[maybe_unused]] std::span<const double> p) {
    // >>> write here
    if (q.size() != p.size())
        throw Error("kl: distributions over " + std::to_string(q.size()) + " and " +
                    std::to_string(p.size()) + " tokens");
    double sum = 0;
    for (std::size_t i = 0; i < q.size(); ++i) {
        if (q[i] == 0) continue;
        if (p[i] == 0) return std::numeric_limits<double>::infinity();
        sum += q[i] * (portable_log(q[i]) - portable_log(p[i]));
    }
    return std::max(sum, 0.0);
    // <<< to here
}

// How often each of the V tokens was drawn, divided by the number of draws.
inline std::vector<double> frequencies([[maybe_unused]] std::span<const int> draws,
                                       [[maybe_unused]] std::size_t V) {
    // >>> write here
    if (draws.empty()) throw Error("frequencies: no draws, expected at least one");
    std::vector<double> counts(V, 0.0);
    for (const int id : draws) {
        if (id < 0 || static_cast<std::size_t>(id) >= V)
            throw Error("frequencies: id " + std::to_string(id) + ", expected 0 to " +
                        std::to_string(V - 1));
        ++counts[static_cast<std::size_t>(id)];
    }
    for (double& count : counts) count /= static_cast<double>(draws.size());
    return counts;
    // <<< to here
}

}  // namespace tbt::ex06_2
