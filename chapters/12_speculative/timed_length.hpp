// How many tokens to draft, by the clock: as many as pay, and none where drafting loses.
//
// A round without a draft takes `plain` seconds and adds a token. One of n guesses takes
// plain + n·extra, and adds tokens(right, n), `right` being how often guesses were right lately.
// Both times are medians of the last rounds. The n that adds most tokens a second is taken.
//
// What a try may cost is bounded: rounds with a draft may not take more than a 33rd of all time
// longer than their tokens would have taken without, and two tokens' time for the beginning.
// Only for texts that do not depend on n (coupled by seed): no clock says the same twice.
#pragma once

#include <deque>
#include <functional>

namespace tbt {

class TimedLength {
public:
    // tokens(right, n): that a round of n guesses adds.
    using Tokens = std::function<double(double right, int n)>;
    TimedLength(int most, Tokens tokens, double right = 0.7);

    // Of the next round. In the first the draft reads the prompt, and nothing is taken from it; the
    // second has none: what others are compared with.
    int next();
    // Of the guesses of a round: how many were judged (or expected to be right), and right.
    void learn(double judged, double right) {
        judged_ = forget * judged_ + judged, right_ = forget * right_ + right;
    }
    // A round of `length` guesses, drafting included, added `tokens` in so many seconds.
    void took(int length, int tokens, double seconds);

    // The n from 0 to most with most tokens a second.
    int best() const;
    double plain() const { return median(plain_); }

private:
    static constexpr double forget = 0.9, budget = 0.03;
    static constexpr double worth = 1.02;  // a draft must gain so much
    static constexpr int check_plain_every = 64, first_wait = 64;
    static constexpr std::size_t remembered = 9;

    static void add(std::deque<double>& times, double seconds);
    static double median(const std::deque<double>& times);

    int most_;
    Tokens tokens_;
    double judged_, right_;
    std::deque<double> plain_, extra_;
    double elapsed_ = 0, lost_ = 0;  // seconds; lost: more than without drafts
    int rounds_ = 0, since_plain_ = 0, idle_ = 0, wait_ = first_wait;
};

}  // namespace tbt
