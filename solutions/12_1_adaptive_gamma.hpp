// Exercise 12_1: how many tokens should the draft write in a round of speculative decoding?
//
// With acceptance α (each drafted token is accepted with that probability) a round of γ drafted
// tokens gives, on average,
//
//     E(α, γ) = 1 + α + α² + … + α^γ = (1 − α^(γ+1)) / (1 − α)        tokens, and γ + 1 when α = 1
//
// and costs γ·c + 1 passes of the target, if a draft pass costs c of them [Leviathan et al.
// 2023, §3]. The gain is E / (γ·c + 1). If γ is too small, the draft stops although its next tokens
// would be accepted; if γ is too large, it drafts tokens that are thrown away.
//
// α changes with the text, so it is measured: of the drafted tokens that were judged, how many
// were accepted? In a round everything up to and including the first rejected token is judged;
// what was drafted after it is not. Before anything is known, pretend two tokens were judged and
// one of them accepted: α = (accepted + 1) / (judged + 2).
//
// Write five functions, about 20 lines. Check: make check EX=12_1. It is self-contained:
// nothing of chapter 12 is needed.
#pragma once

#include <cmath>

#include "exercises/exercise.hpp"

namespace tbt::ex12_1 {

inline double expected_tokens([[maybe_unused]] double alpha, [[maybe_unused]] int gamma) {
    // >>> write here
    double sum = 1, power = 1;
    for (int i = 0; i < gamma; ++i) sum += power *= alpha;
    return sum;
    // <<< to here
}

// The gain against one pass of the target for each token.
inline double gain([[maybe_unused]] double alpha, [[maybe_unused]] int gamma,
                   [[maybe_unused]] double cost) {
    // >>> write here
    return expected_tokens(alpha, gamma) / (gamma * cost + 1);
    // <<< to here
}

// The γ in 0 … most with the greatest gain; the smallest of several. 0 means: do not draft.
inline int best_gamma([[maybe_unused]] double alpha, [[maybe_unused]] double cost,
                      [[maybe_unused]] int most) {
    // >>> write here
    int best = 0;
    for (int gamma = 1; gamma <= most; ++gamma) {
        if (gain(alpha, gamma, cost) > gain(alpha, best, cost)) best = gamma;
    }
    return best;
    // <<< to here
}

class AdaptiveGamma {
public:
    AdaptiveGamma(double cost, int most) : cost_(cost), most_(most) {}

    // A round: of `drafted` tokens the first `accepted` were accepted, 0 ≤ accepted ≤ drafted.
    void observe([[maybe_unused]] int drafted, [[maybe_unused]] int accepted) {
        // >>> write here
        accepted_ += accepted;
        judged_ += accepted < drafted ? accepted + 1 : accepted;
        // <<< to here
    }

    double alpha() const {
        // >>> write here
        return (accepted_ + 1) / (judged_ + 2);
        // <<< to here
    }

    int gamma() const { return best_gamma(alpha(), cost_, most_); }

private:
    double cost_;
    int most_;
    [[maybe_unused]] double accepted_ = 0, judged_ = 0;
};

}  // namespace tbt::ex12_1
