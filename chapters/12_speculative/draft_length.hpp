// Chooses how many tokens to draft (γ): a fixed number, by recent acceptance, or by the clock.
//
// If each guess is accepted with probability α, a round of γ drafted tokens adds (1 − α^(γ+1)) /
// (1 − α) tokens to the text [Leviathan et al. 2023, §3]. It takes the time of γ·c + 1 passes of
// the target, where c is the cost of a drafted token (cost_of_guess in plain_draft_length.hpp).
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "chapters/12_speculative/plain_draft_length.hpp"

namespace tbt {

// 1 + α + … + α^γ, for acceptance α from 0 to 1 and γ from 0 to 1024.
double expected_tokens(double acceptance, int length);

class DraftLength {
public:
    static DraftLength fixed(int length) { return DraftLength(length); }
    // As plain_draft_length; 0 if drafting loses. The choice depends on earlier rounds only, so the
    // distribution of the text stays exact. It does not depend on the clock, so the same seed gives
    // the same text.
    static DraftLength adaptive(int most, double cost);

    // tokens(right, n): the tokens that a round of n guesses adds, where `right` is the share of
    // recent guesses that were right.
    using Tokens = std::function<double(double right, int n)>;
    // By the clock: the length that is fastest; 0 if drafting loses. Only for texts that do not
    // depend on the length (coupled by seed): times differ from run to run. Copies share what they
    // learn, so that each text can have a copy and begins with what earlier texts have found out.
    static DraftLength timed(int most = 12, const Tokens& tokens = expected_tokens,
                             double right = 0.7);

    int next();
    // The result of a round: how many guesses were judged (0: there were none) and accepted.
    void learn(int judged, int accepted);

    // The same for a tree of guesses: how many were expected to be right, and how many were.
    void learn_of(double expected, int right);
    // The time of a round that drafted `length` tokens and added `tokens` to the text. The first
    // round of a text also reads the prompt, so its time is not used.
    void took(int length, int tokens, double seconds);
    int most() const { return most_; }
    bool is_timed() const { return timed_ != nullptr; }

private:
    explicit DraftLength(int most);

    class Timed;                           // the length by the clock
    static constexpr double forget = 0.9;  // after eleven more rounds a round counts a third
    static constexpr int first_wait = 16, longer = 8;

    int most_;
    std::optional<double> cost_;  // of a guess; empty: the length is fixed, or by the clock
    double judged_ = 3, accepted_ = .8 * 3;
    int waited_ = 0, wait_ = first_wait;
    std::shared_ptr<Timed> timed_;
    bool has_read_prompt_ = false;
};

}  // namespace tbt
