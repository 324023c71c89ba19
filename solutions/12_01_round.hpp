// Exercise 12_01: a round of speculative decoding.
//
// A cheap draft guesses `length` tokens, the target judges them, and what comes out follows
// the target's distribution, whatever the draft is. Distributions p (target) and q (draft) are of
// the next token after a text.
//
//     1. the draft draws x_1, …, x_length, each from q after the text and the guesses before it
//     2. from left to right: x is accepted with probability min(1, p(x)/q(x)): if u < p(x)/q(x)
//     3. at the first rejection, a token drawn from the residual takes its place, and the round
//        is over; the guesses after it are lost
//     4. if all were accepted, one more token is drawn, from p
//
// So each round adds 1 to length + 1 tokens. The random numbers u are given: first one for each
// draw of the draft, then one for each verdict until the round is over, then one for the last draw.
//
// Example: p = {.5, .5}, q = {1, 0}, length 1, u = {.3, .7, .9}: the draft says 0; .7 is not below
// .5/1; the residual is {0, .5}: the text becomes {1}. With u = {.3, .4, .9} it is {0, 1}.
//
// draw and residual are given. Write one function, about 14 lines. Check: make check EX=12_01
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex12_01 {

using Distribution = std::vector<double>;  // one weight for each token; they need not sum to 1
using DistributionAfter = std::function<Distribution(const std::vector<int>& text)>;

// The first token at which the running sum passes u·Σ w; the last possible one if none does.
inline int draw(const Distribution& w, double u) {
    double sum = 0;
    for (const double x : w) sum += x;
    double point = u * sum;
    int last = -1;
    for (std::size_t i = 0; i < w.size() && (last < 0 || point >= 0); ++i)
        if (w[i] > 0) last = static_cast<int>(i), point -= w[i];
    return last;
}

// max(0, p − q), or p where that leaves nothing.
inline Distribution residual(const Distribution& p, const Distribution& q) {
    Distribution rest;
    for (std::size_t i = 0; i < p.size(); ++i) rest.push_back(std::max(0.0, p[i] - q[i]));
    return std::count(rest.begin(), rest.end(), 0.0) < std::ssize(rest) ? rest : p;
}

// Returns the text with what the round adds. u: 2·length + 1 numbers in [0, 1).
inline std::vector<int> speculate([[maybe_unused]] const DistributionAfter& target,
                                  [[maybe_unused]] const DistributionAfter& draft,
                                  [[maybe_unused]] std::vector<int> text,
                                  [[maybe_unused]] int length,
                                  [[maybe_unused]] const std::vector<double>& u) {
    // >>> write here
    auto next_u = u.begin();
    std::vector<int> guessed = text;
    std::vector<Distribution> distributions;
    for (int i = 0; i < length; ++i) {
        distributions.push_back(draft(guessed));
        guessed.push_back(draw(distributions.back(), *next_u++));
    }
    for (const Distribution& q : distributions) {
        const Distribution p = target(text);
        const int x = guessed[text.size()];
        const auto at = static_cast<std::size_t>(x);
        const bool accepted = *next_u++ < p[at] / q[at];
        text.push_back(accepted ? x : draw(residual(p, q), *next_u));
        if (!accepted) return text;
    }
    text.push_back(draw(target(text), *next_u));
    return text;
    // <<< to here
}

}  // namespace tbt::ex12_01
