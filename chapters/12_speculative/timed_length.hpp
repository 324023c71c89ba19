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
#pragma once

#include <deque>
#include <functional>
#include <map>

namespace tbt {

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

}  // namespace tbt
