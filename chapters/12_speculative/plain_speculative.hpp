// A plain round of speculative decoding: the draft guesses, the target judges. The fast version,
// speculative.hpp, asks the target once a round; with the same random numbers it does the same.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/show/short_number.hpp"

namespace tbt {

using Distribution = std::vector<double>;  // V probabilities or weights; need not sum to 1
using DistributionAfter = std::function<Distribution(const std::vector<int>& text)>;

// Returns the sum of the weights. Throws Error unless u is in [0, 1), no weight is negative or NaN,
// and at least one is above 0.
inline double check_draw(std::span<const double> weights, double u) {
    if (!(u >= 0 && u < 1))
        throw Error("draw: u is " + short_number(u) + ", expected a number in [0, 1)");
    double sum = 0;
    for (const double w : weights) {
        if (!(w >= 0)) throw Error("draw: a weight is " + short_number(w) + ", expected 0 or more");
        sum += w;
    }
    if (!(sum > 0 && sum <= std::numeric_limits<double>::max()))
        throw Error("draw: the weights of " + std::to_string(weights.size()) + " tokens sum to " +
                    short_number(sum) + ", expected a number above 0");
    return sum;
}

// Draws token i with probability w_i / Σ w: where the running sum passes u·Σ w, u in [0, 1).
inline int plain_draw(std::span<const double> w, double u) {
    double point = u * check_draw(w, u);
    int last = -1;
    for (std::size_t i = 0; i < w.size() && (last < 0 || point >= 0); ++i) {
        if (w[i] > 0) last = to_int(i), point -= w[i];
    }
    return last;
}

// The residual max(0, p − q): the probability that the draft has not covered; p if all are 0.
inline Distribution plain_residual(const Distribution& p, const Distribution& q) {
    check_size("speculative: the draft's distribution", q.size(), p.size());
    Distribution rest;
    for (std::size_t i = 0; i < p.size(); ++i) rest.push_back(std::max(0.0, p[i] - q[i]));
    return std::any_of(rest.begin(), rest.end(), [](double r) { return r > 0; }) ? rest : p;
}

// The text with what a round adds: 1 to length + 1 tokens. u: random numbers in [0, 1), one for
// each draw and each decision, at most 2·length + 1.
inline std::vector<int> plain_round(const DistributionAfter& target, const DistributionAfter& draft,
                                    std::vector<int> text, int length,
                                    const std::vector<double>& u) {
    check_at_least("speculative: drafted tokens", length, 0);
    check_size("speculative: u", u.size(), 2 * index(length) + 1);
    auto next_u = u.begin();
    // 1. The draft guesses, one token after the other.
    std::vector<int> extended = text;
    std::vector<Distribution> draft_q(index(length));
    for (Distribution& q : draft_q) extended.push_back(plain_draw(q = draft(extended), *next_u++));
    // 2. The target judges from left to right: it accepts x with probability min(1, p(x)/q(x)).
    for (const Distribution& q : draft_q) {
        const Distribution p = target(text);
        const auto x = checked_id("speculative", extended[text.size()], p.size());
        const bool accepted = *next_u++ < p[x] / q[x];
        text.push_back(accepted ? to_int(x) : plain_draw(plain_residual(p, q), *next_u));
        if (!accepted) return text;
    }
    // 3. All accepted: one more token, from the target.
    text.push_back(plain_draw(target(text), *next_u));
    return text;
}

}  // namespace tbt
