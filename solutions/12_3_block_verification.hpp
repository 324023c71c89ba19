// Exercise 12_3: judge a draft as a block, and accept more of it, at the same distribution.
//
// Judged token by token, a draft ends at its first rejected token. But what counts is the
// distribution of the whole text, and a token that the target likes better than the draft did can
// make up for one that it likes less [Sun et al. 2025, algorithm 2].
//
// γ tokens x_1 … x_γ were drafted. p_i and q_i are the target's and the draft's distributions after
// the first i of them (p has γ + 1 distributions, q has γ). w_i says how much of this prefix
// the target itself would have written:
//
//     w_0 = 1,     w_i = min(1, w_(i−1) · p_(i−1)(x_i) / q_(i−1)(x_i))
//
// The prefix of i tokens is accepted with the chance
//
//     h_i = S_i / (S_i + 1 − w_i),     S_i = Σ_x max(0, w_i·p_i(x) − q_i(x))     for i < γ
//     h_γ = w_γ
//
// (h_i = 1 if S_i + 1 − w_i is 0). Each i has a number u_i of its own; the longest prefix with
// u_i < h_i stays, even if shorter ones were rejected. After i < γ accepted tokens the next token
// is drawn from max(0, w_i·p_i − q_i), divided by its sum, or from p_i if the sum is 0; after all
// γ tokens it is drawn from p_γ.
//
// Write four functions, about 25 lines. Check: make check EX=12_3
#pragma once

#include <algorithm>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex12_3 {

using Distribution = std::vector<double>;

struct Draft {
    std::vector<int> tokens;         // x_1 … x_γ are tokens[0] … tokens[γ − 1]
    std::vector<Distribution> p, q;  // γ + 1 and γ distributions
};

// w_0 … w_γ.
inline std::vector<double> weights([[maybe_unused]] const Draft& draft) {
    // >>> write here
    std::vector<double> w = {1};
    for (std::size_t i = 0; i < draft.tokens.size(); ++i) {
        const auto x = static_cast<std::size_t>(draft.tokens[i]);
        w.push_back(std::min(1.0, w[i] * draft.p[i][x] / draft.q[i][x]));
    }
    return w;
    // <<< to here
}

// max(0, w_i·p_i − q_i), not yet divided: what the target's distribution after i tokens still
// lacks.
inline Distribution lacking([[maybe_unused]] const Draft& draft, [[maybe_unused]] std::size_t i) {
    // >>> write here
    const double w = weights(draft)[i];
    Distribution rest;
    for (std::size_t x = 0; x < draft.p[i].size(); ++x)
        rest.push_back(std::max(0.0, w * draft.p[i][x] - draft.q[i][x]));
    return rest;
    // <<< to here
}

// h_1 … h_γ, as elements 0 … γ − 1.
inline std::vector<double> chances([[maybe_unused]] const Draft& draft) {
    // >>> write here
    const std::vector<double> w = weights(draft);
    std::vector<double> h;
    for (std::size_t i = 1; i < draft.tokens.size(); ++i) {
        double sum = 0;
        for (const double r : lacking(draft, i)) sum += r;
        const double all = sum + 1 - w[i];
        h.push_back(all > 0 ? sum / all : 1);
    }
    if (!draft.tokens.empty()) h.push_back(w.back());
    return h;
    // <<< to here
}

struct Verdict {
    std::size_t accepted = 0;  // tokens of the draft that stay
    Distribution next;         // the distribution of the one after them, sums to 1
};

// u: u_1 … u_γ, each in [0, 1).
inline Verdict judge([[maybe_unused]] const Draft& draft,
                     [[maybe_unused]] const std::vector<double>& u) {
    // >>> write here
    const std::vector<double> h = chances(draft);
    Verdict verdict;
    for (std::size_t i = 0; i < h.size(); ++i)
        if (u[i] < h[i]) verdict.accepted = i + 1;
    const std::size_t i = verdict.accepted;
    verdict.next = i < draft.tokens.size() ? lacking(draft, i) : draft.p[i];
    double sum = 0;
    for (const double r : verdict.next) sum += r;
    if (!(sum > 0)) return {i, draft.p[i]};
    for (double& r : verdict.next) r /= sum;
    return verdict;
    // <<< to here
}

}  // namespace tbt::ex12_3
