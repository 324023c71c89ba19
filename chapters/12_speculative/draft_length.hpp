// How many tokens to draft: γ, fixed or from what was accepted lately.
//
// Accepted with probability α each, a round of γ drafted tokens adds (1 − α^(γ+1)) / (1 − α)
// tokens to the text [Leviathan et al. 2023, eq. 1] and costs γ·c + 1 passes of the target,
// c being what a drafted token costs.
#pragma once

#include <string>

#include "chapters/12_speculative/checks.hpp"

namespace tbt {

inline double expected_tokens(double acceptance, int length) {
    if (!(acceptance >= 0 && acceptance <= 1) || length < 0 || length > 1024)
        throw Error("draft length: acceptance " + short_number(acceptance) + " and " +
                    std::to_string(length) + " tokens, expected 0 to 1 and 0 to 1024");
    double sum = 0, power = 1;
    for (int i = 0; i <= length; ++i, power *= acceptance) sum += power;  // 1 + α + … + α^γ
    return sum;
}

// The γ from 1 to `most` that adds most tokens for its cost; the smaller one of equals.
inline int best_length(double acceptance, double cost, int most) {
    int best = 1;
    const auto gain = [&](int length) {
        return expected_tokens(acceptance, length) / (1 + cost * length);
    };
    for (int length = 2; length <= most; ++length) {
        if (gain(length) > gain(best)) best = length;
    }
    return best;
}

class DraftLength {
public:
    static DraftLength fixed(int length) { return DraftLength(length, 0); }
    // Starts at acceptance 0.8. What is decided depends on earlier rounds only, so the law of the
    // text stays exact; and not on the clock, so the same seed gives the same text.
    static DraftLength adaptive(int most = 12, double cost = 0.15) {
        return DraftLength(most, cost);
    }

    int next() const { return cost_ > 0 ? best_length(accepted_ / judged_, cost_, most_) : most_; }
    void learn(int judged, int accepted) {
        if (accepted < 0 || accepted > judged)
            throw Error("draft length: " + std::to_string(accepted) + " accepted of " +
                        std::to_string(judged) + " judged");
        judged_ = forget * judged_ + judged;
        accepted_ = forget * accepted_ + accepted;
    }

private:
    DraftLength(int most, double cost) : most_(most), cost_(cost) {
        check_draft_length(most);
        if (!(cost >= 0 && cost <= 1e9))
            throw UsageError("draft cost: got " + std::to_string(cost) + ", expected 0 or more");
    }

    static constexpr double forget = 0.9;  // a round counts a third after eleven more
    int most_;
    double cost_;
    double judged_ = 10, accepted_ = 8;
};

}  // namespace tbt
