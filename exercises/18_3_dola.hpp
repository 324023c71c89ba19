// Exercise 18_3: DoLa, decoding by contrasting layers [Chuang et al. 2024].
//
// The logit lens reads off what the model would say after each layer. DoLa takes an early layer as
// the amateur of a contrast: what the later layers have added counts, and what was there from the
// beginning does not. Let p be the distribution after the last layer, and q_l the one after
// layer l. The Jensen-Shannon divergence says how much two distributions differ (ln is the natural
// logarithm; a term whose p or q is 0 is 0):
//
//     JS(p, q) = Σ_x (p·ln(p/m) + q·ln(q/m)) / 2     with m = (p + q)/2
//
// 1. Take the layer with the greatest JS(p, q_l); if several are equal, take the earliest. Below, q
//    is its distribution.
// 2. A token x may come if p(x) >= α · max p, where α is above 0 and at most 1.
// 3. The new distribution: p(x)/q(x) for each token that may come, divided by the sum of these
//    ratios; 0 for all other tokens.
//
// Example: p = .5 .4 .06 .04, q_0 = .4 .4 .1 .1 and q_1 = .8 .1 .06 .04. JS(p, q_0) is .012 and
// JS(p, q_1) is .066, so layer 1 is taken. With α = .1 the border is .05, so the last token is out.
// The ratios .625, 4 and 1 give the distribution 1/9, 32/45, 8/45, 0: the second token leads, which
// layer 1 did not expect.
//
// Every distribution is given as logits, s = ln p + some constant. They may be in the thousands:
// then e^s overflows, and so may p/q, even where ln p − ln q does not. log_softmax removes the
// constant. The logits of early layers are finite; some of the last layer's may be −∞, but not all.
// No layers: Error.
//
// Write three functions, about 10, 9 and 12 lines. Check: make check EX=18_3
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "exercises/exercise.hpp"
#include "lib/core/error.hpp"

namespace tbt::ex18_3 {

using Row = std::vector<double>;

// ln p of each token.
inline Row log_softmax(const Row& logits) {
    const double largest = *std::max_element(logits.begin(), logits.end());
    double sum = 0;
    for (const double s : logits) sum += std::exp(s - largest);
    Row log_p;
    for (const double s : logits) log_p.push_back(s - largest - std::log(sum));
    return log_p;
}

// JS of two distributions, both given as logits (V).
inline double divergence([[maybe_unused]] const Row& p_logits,
                         [[maybe_unused]] const Row& q_logits) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// The layer that is taken, as an index into `layers`.
inline std::size_t premature([[maybe_unused]] const std::vector<Row>& layers,
                             [[maybe_unused]] const Row& last) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// The distribution of the next token (V).
inline Row dola([[maybe_unused]] const std::vector<Row>& layers, [[maybe_unused]] const Row& last,
                [[maybe_unused]] double alpha) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex18_3
