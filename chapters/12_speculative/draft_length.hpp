// Chooses how many tokens to draft (γ): a fixed number, by recent acceptance, or by the clock.
//
// If each guess is accepted with probability α, a round of γ drafted tokens adds (1 − α^(γ+1)) /
// (1 − α) tokens to the text [Leviathan et al. 2023, §3]. It takes the time of γ·c + 1 passes of
// the target, where c is the cost of a drafted token (cost_of_guess in plain_draft_length.hpp).
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "chapters/12_speculative/plain_draft_length.hpp"

namespace tbt {

// Chooses how many tokens to draft by the clock: the number that is fastest, and none if drafting
// loses.
//
// A round without a draft takes `plain` seconds and adds a token. A round of n guesses adds
// tokens(right, n), where `right` is the share of recent guesses that were right. What it takes
// beyond a plain round is the median of its recent rounds; between lengths that have been tried, on
// a line, and after the longest one, on the line from 0. The n with the most tokens per second is
// chosen. But times are stairs rather than lines (a matrix product of five to eight rows takes
// hardly longer than one of five), so every fourth round tries a length that would be faster if it
// took an eighth less than its line says.
//
// The cost of trying is bounded: compared with plain decoding, rounds with a draft may lose at most
// a 33rd of the whole time, plus the time of two tokens at the beginning.
// Use it only for texts that do not depend on n (coupled by seed): times differ from run to run.
class TimedLength {
public:
    // tokens(right, n): the tokens that a round of n guesses adds.
    using Tokens = std::function<double(double right, int n)>;
    TimedLength(int most, Tokens tokens, double right = 0.7);

    // The length for the next round. In the first round the draft reads the prompt, so its time is
    // not used. The second round has no draft; others are compared with it.
    int next();
    // The result of a round: how many guesses were judged (or expected to be right), and right.
    void learn(double judged, double right) {
        judged_ = forget * judged_ + judged, right_ = forget * right_ + right;
    }
    // The time of a round of `length` guesses, including drafting, that added `tokens`.
    void took(int length, int tokens, double seconds);

    // The n from 0 to the maximum with the most tokens per second.
    int best() const;
    double plain() const { return median(plain_); }
    // What a round of n guesses takes beyond a plain one, from 0 to the maximum: measured, or on
    // the line between lengths that are.
    double extra(int n) const;

private:
    static constexpr double forget = 0.9, budget = 0.03;
    static constexpr double worth = 1.02;  // a draft must be at least this much faster
    static constexpr int first_length = 2, check_plain_every = 64, first_wait = 128;
    static constexpr int try_every = 4;  // of the rounds with a draft
    static constexpr double stair = 0.875;
    static constexpr std::size_t remembered = 9, enough = 2;

    double rate(int n) const;  // tokens per second
    // The length that may be faster than `best` and has not been tried enough; else 0.
    int worth_trying(int best) const;
    static void add(std::deque<double>& times, double seconds);
    static double median(const std::deque<double>& times);

    int most_;
    Tokens tokens_;
    double judged_, right_;
    std::deque<double> plain_;
    std::map<int, std::deque<double>> extra_;  // by the length
    double elapsed_ = 0, lost_ = 0;            // seconds; lost_: compared with no drafts
    int rounds_ = 0, since_plain_ = 0, idle_ = 0, since_try_ = 0, wait_ = first_wait;
};

// 1 + α + … + α^γ, for acceptance α from 0 to 1 and γ from 0 to 1024.
double expected_tokens(double acceptance, int length);

class DraftLength {
public:
    static DraftLength fixed(int length) { return DraftLength(length); }
    // As plain_draft_length; 0 if drafting loses. The choice depends on earlier rounds only, so the
    // distribution of the text stays exact. It does not depend on the clock, so the same seed gives
    // the same text.
    static DraftLength adaptive(int most, double cost);

    // By the clock; 0 if drafting loses. Only for texts that do not depend on the length. tokens:
    // what a round of n guesses adds, see TimedLength. Copies share what they learn, so that each
    // text can have a copy and begins with what earlier texts have found out.
    static DraftLength timed(int most = 12, const TimedLength::Tokens& tokens = expected_tokens,
                             double right = 0.7);

    int next();
    // The result of a round: how many guesses were judged (0: there were none) and accepted.
    void learn(int judged, int accepted);

    // The same for a tree of guesses: how many were expected to be right, and how many were.
    void learn_of(double expected, int right) {
        if (timed_) timed_->learn(expected, right);
    }
    // The time of a round that drafted `length` tokens and added `tokens` to the text. The first
    // round of a text also reads the prompt, so its time is not used.
    void took(int length, int tokens, double seconds) {
        if (timed_ && std::exchange(has_read_prompt_, true)) timed_->took(length, tokens, seconds);
    }
    int most() const { return most_; }
    bool is_timed() const { return timed_ != nullptr; }

private:
    explicit DraftLength(int most);

    static constexpr double forget = 0.9;  // after eleven more rounds a round counts a third
    static constexpr int first_wait = 16, longer = 8;

    int most_;
    std::optional<double> cost_;  // of a guess; empty: the length is fixed, or by the clock
    double judged_ = 3, accepted_ = .8 * 3;
    int waited_ = 0, wait_ = first_wait;
    std::shared_ptr<TimedLength> timed_;
    bool has_read_prompt_ = false;
};

}  // namespace tbt
