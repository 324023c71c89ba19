// Exercise 18_3: DoLa, decoding by contrasting layers [Chuang et al. 2024].
//
// The logit lens reads what the model would say after each layer. DoLa takes such an early
// distribution for the amateur of a contrast: what has grown since then counts,
// and what was there from the beginning does not. With p the distribution after the last layer and
// q_l the one after layer l:
//
//   1. The layer that differs most from the last one is taken, by the Jensen-Shannon divergence
//
//          JS(p, q) = Σ_x (p·ln(p/m) + q·ln(q/m)) / 2     with m = (p + q)/2
//
//      (ln is the natural one; a term whose p or q is 0 is 0). Of equal layers the earliest.
//   2. A token may come if p(x) >= α · max p; the border itself may. α is above 0, at most 1.
//   3. The distribution: p(x)/q(x) for each such x, divided by their sum; 0 for all others.
//
// By hand: p = .5 .4 .06 .04, q_0 = .4 .4 .1 .1 and q_1 = .8 .1 .06 .04. JS(p, q_0) is .012,
// JS(p, q_1) is .066: layer 1. With α = .1 the border is .05, so the last token is out. The ratios
// .625, 4 and 1 give the distribution 1/9, 32/45, 8/45, 0: the second leads,
// which layer 1 did not expect.
//
// All comes as logits, s = ln p + some constant, which may be in the thousands: e^s is then no
// number, and p/q is not one even where ln p − ln q is. log_softmax takes the constant away. An
// early layer's logits are finite; of the last layer's some may be −∞, not all. No layers: Error.
//
// Write three functions, about 10, 9 and 12 lines. Check: make check EX=18_3
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "exercises/exercise.hpp"
#include "lib/error.hpp"

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

// Of two distributions, both given as logits (V).
inline double divergence([[maybe_unused]] const Row& p_logits,
                         [[maybe_unused]] const Row& q_logits) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// The layer that is taken, by its place among these.
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
