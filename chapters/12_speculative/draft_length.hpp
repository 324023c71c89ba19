// How many tokens to draft: γ, fixed or from what was accepted lately.
//
// Accepted with probability α each, a round of γ drafted tokens adds (1 − α^(γ+1)) / (1 − α)
// tokens to the text [Leviathan et al. 2023, eq. 1] and costs γ·c + 1 passes of the target,
// c being what a drafted token costs.
#pragma once

#include <optional>
#include <string>

#include "chapters/12_speculative/checks.hpp"
#include "chapters/12_speculative/timed_length.hpp"

namespace tbt {

double expected_tokens(double acceptance, int length);

// The γ from 1 to `most` that adds most tokens for its cost; the smaller one of equals.
int best_length(double acceptance, double cost, int most);

class DraftLength {
public:
    static DraftLength fixed(int length) { return DraftLength(length, 0); }
    // Starts at acceptance 0.8. What is decided depends on earlier rounds only, so the law of the
    // text stays exact; and not on the clock, so the same seed gives the same text.
    static DraftLength adaptive(int most = 12, double cost = 0.15);

    // By the clock, 0 where drafting loses: for texts that do not depend on the length.
    // tokens: what a round of n adds, see TimedLength.
    static DraftLength timed(int most = 12, const TimedLength::Tokens& tokens = expected_tokens,
                             double right = 0.7);

    int next();
    void learn(int judged, int accepted);

    // For trees of guesses: how many were expected to be right, and were.
    void learn_of(double expected, int right) {
        if (timed_) timed_->learn(expected, right);
    }
    // A round of `length` drafted tokens added `tokens`, in so many seconds.
    void took(int length, int tokens, double seconds) {
        if (timed_) timed_->took(length, tokens, seconds);
    }
    bool is_timed() const { return timed_.has_value(); }

private:
    DraftLength(int most, double cost);

    static constexpr double forget = 0.9;  // a round counts a third after eleven more
    int most_;
    double cost_;
    double judged_ = 10, accepted_ = 8;
    std::optional<TimedLength> timed_;
};

}  // namespace tbt
