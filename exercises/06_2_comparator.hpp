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
    throw NotWritten();
    // <<< to here
}

inline double kl([[maybe_unused]] std::span<const double> q,
                 [[maybe_unused]] std::span<const double> p) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// How often each of the V tokens was drawn, divided by the number of draws.
inline std::vector<double> frequencies([[maybe_unused]] std::span<const int> draws,
                                       [[maybe_unused]] std::size_t V) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex06_2
