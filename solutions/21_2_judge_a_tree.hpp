// Exercise 21_2: judge several guesses for one position, one after the other: the token that comes
// out still has the target's distribution.
//
// A draft with the distribution q has drawn several different tokens for the same position: the
// first from q, the second from q without the first, and so on. The target's distribution is p. The
// guesses are judged in the order in which they were drawn [Miao et al. 2024; Chen et al. 2024,
// Sequoia]:
//
//     accept the guess x with the chance min(1, p(x) / q(x));
//     if it is rejected, go on to the next one with
//         p ← max(0, p − q), divided by its sum          what the target has more of
//         q ← q without x, divided by its sum            what the next guess was drawn from
//
// If all are rejected, the token is drawn from the p that is left. The token that comes out has the
// first p as its distribution, however many guesses there are. The more guesses there are, the more
// often one of them is accepted. (max(0, p − q) is all 0 only if p = q, and then no guess is
// rejected.)
//
//     after_rejection(p, q)      the next p; p itself if nothing is left
//     without(q, x)              the next q; all 0 if nothing is left
//     judge(p, q, guesses, u)    which guess is accepted (0, 1, …; −1: none), and the distribution
//                                of the token if none is. u has one number in [0, 1) for each
//                                guess; a guess is accepted if its u is below the chance.
//
// Write three functions, about 25 lines. Check: make check EX=21_2
#pragma once

#include <algorithm>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex21_2 {

using Distribution = std::vector<double>;

inline Distribution after_rejection([[maybe_unused]] const Distribution& p,
                                    [[maybe_unused]] const Distribution& q) {
    // >>> write here
    Distribution rest;
    double sum = 0;
    for (std::size_t x = 0; x < p.size(); ++x) sum += rest.emplace_back(std::max(0.0, p[x] - q[x]));
    if (!(sum > 0)) return p;
    for (double& r : rest) r /= sum;
    return rest;
    // <<< to here
}

inline Distribution without([[maybe_unused]] const Distribution& q, [[maybe_unused]] int x) {
    // >>> write here
    Distribution rest = q;
    rest[static_cast<std::size_t>(x)] = 0;
    double sum = 0;
    for (const double r : rest) sum += r;
    for (double& r : rest) r = sum > 0 ? r / sum : 0;
    return rest;
    // <<< to here
}

struct Verdict {
    int accepted = -1;
    Distribution rest;  // of the token, if no guess was accepted
};

inline Verdict judge([[maybe_unused]] Distribution p, [[maybe_unused]] Distribution q,
                     [[maybe_unused]] const std::vector<int>& guesses,
                     [[maybe_unused]] const std::vector<double>& u) {
    // >>> write here
    for (std::size_t i = 0; i < guesses.size(); ++i) {
        const auto x = static_cast<std::size_t>(guesses[i]);
        if (u[i] < p[x] / q[x]) return {static_cast<int>(i), {}};
        p = after_rejection(p, q);
        q = without(q, guesses[i]);
    }
    return {-1, p};
    // <<< to here
}

}  // namespace tbt::ex21_2
