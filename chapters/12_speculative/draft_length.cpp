#include "chapters/12_speculative/draft_length.hpp"

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "chapters/12_speculative/plain_draft_length.hpp"

namespace tbt {

double expected_tokens(double acceptance, int length) {
    check_acceptance(acceptance, length);
    double sum = 0, power = 1;
    for (int i = 0; i <= length; ++i, power *= acceptance) sum += power;  // 1 + α + … + α^γ
    return sum;
}

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
class DraftLength::Timed {
public:
    Timed(int most, Tokens tokens, double right)
        : most_(most), tokens_(std::move(tokens)), judged_(5), right_(5 * right) {}

    // The length for the next round. In the first round the draft reads the prompt, so its time is
    // not used. The second round has no draft; others are compared with it.
    int next() {
        if (plain_.empty()) return ++rounds_ == 1 ? 1 : 0;
        if (++since_plain_ > check_plain_every) return 0;
        if (lost_ > budget * elapsed_ + 2 * plain()) return 0;
        if (extra_.empty()) return std::min(first_length, most_);
        if (const int n = best(); n > 0) {
            if (++since_try_ < try_every) return n;
            since_try_ = 0;
            const int other = worth_trying(n);
            return other > 0 ? other : n;
        }
        if (++idle_ < wait_) return 0;
        idle_ = 0, wait_ *= 2;
        return 1;  // checks again whether drafting gains
    }
    // The result of a round: how many guesses were judged (or expected to be right), and right.
    void learn(double judged, double right) {
        judged_ = forget * judged_ + judged, right_ = forget * right_ + right;
    }
    // The time of a round of `length` guesses, including drafting, that added `tokens`.
    void took(int length, int tokens, double seconds) {
        elapsed_ += seconds;
        if (length == 0) return since_plain_ = 0, add(plain_, seconds / std::max(tokens, 1));
        if (plain_.empty()) return;
        lost_ += seconds - tokens * plain();
        add(extra_[length], seconds - plain());
        if (best() > 0) wait_ = first_wait;
    }

private:
    static constexpr double forget = 0.9, budget = 0.03;
    static constexpr double worth = 1.02;  // a draft must be at least this much faster
    static constexpr int first_length = 2, check_plain_every = 64, first_wait = 128;
    static constexpr int try_every = 4;  // of the rounds with a draft
    static constexpr double stair = 0.875;
    static constexpr std::size_t remembered = 9, enough = 2;

    double plain() const { return median(plain_); }
    // What a round of n guesses takes beyond a plain one, from 0 to the maximum: measured, or on
    // the line between lengths that are.
    double extra(int n) const {
        if (n == 0 || extra_.empty()) return 0;
        const auto after = extra_.lower_bound(n);
        if (after != extra_.end() && after->first == n) return std::max(median(after->second), 0.0);
        const double from = after == extra_.begin() ? 0 : median(std::prev(after)->second);
        const int first = after == extra_.begin() ? 0 : std::prev(after)->first;
        if (after == extra_.end()) return std::max(from, 0.0) * n / first;
        const double share = static_cast<double>(n - first) / (after->first - first);
        return std::max(from + share * (median(after->second) - from), 0.0);
    }
    // Tokens per second.
    double rate(int n) const {
        return (n == 0 ? 1 : tokens_(right_ / judged_, n)) / (plain() + extra(n));
    }
    // The n from 0 to the maximum with the most tokens per second.
    int best() const {
        if (plain_.empty() || extra_.empty()) return 0;
        int best = 0;
        double most_a_second = worth / plain();
        for (int n = 1; n <= most_; ++n)
            if (rate(n) > most_a_second) best = n, most_a_second = rate(n);
        return best;
    }
    // The length that may be faster than `best` and has not been tried enough; else 0.
    int worth_trying(int best) const {
        int chosen = 0;
        double most_a_second = worth * rate(best);
        for (int n = 1; n <= most_; ++n) {
            const auto tried = extra_.find(n);
            if (tried != extra_.end() && tried->second.size() >= enough) continue;
            if (rate(n) / stair > most_a_second) chosen = n, most_a_second = rate(n) / stair;
        }
        return chosen;
    }
    static void add(std::deque<double>& times, double seconds) {
        times.push_back(seconds);
        if (times.size() > remembered) times.pop_front();
    }
    static double median(const std::deque<double>& times) {
        std::vector<double> sorted(times.begin(), times.end());
        std::sort(sorted.begin(), sorted.end());
        return sorted[sorted.size() / 2];
    }

    int most_;
    Tokens tokens_;
    double judged_, right_;
    std::deque<double> plain_;
    std::map<int, std::deque<double>> extra_;  // by the length
    double elapsed_ = 0, lost_ = 0;            // seconds; lost_: compared with no drafts
    int rounds_ = 0, since_plain_ = 0, idle_ = 0, since_try_ = 0, wait_ = first_wait;
};

DraftLength DraftLength::adaptive(int most, double cost) {
    check_guess_cost(cost);
    DraftLength length(most);
    length.cost_ = cost;
    return length;
}

DraftLength DraftLength::timed(int most, const Tokens& tokens, double right) {
    DraftLength length(most);
    length.timed_ = std::make_shared<Timed>(most, tokens, right);
    return length;
}

int DraftLength::next() {
    if (timed_) return timed_->next();
    return cost_ ? plain_best_length(accepted_ / judged_, *cost_, most_) : most_;
}

void DraftLength::learn(int judged, int accepted) {
    if (accepted < 0 || accepted > judged)
        throw Error("draft length: " + std::to_string(accepted) + " accepted of " +
                    std::to_string(judged) + " judged");
    if (timed_) timed_->learn(judged, accepted);
    if (judged > 0) {
        judged_ = forget * judged_ + judged;
        accepted_ = forget * accepted_ + accepted;
    } else if (cost_ && next() == 0 && ++waited_ == wait_) {
        judged_ = 3, accepted_ = .8 * 3, waited_ = 0, wait_ *= longer;
    }
}

void DraftLength::learn_of(double expected, int right) {
    if (timed_) timed_->learn(expected, right);
}

void DraftLength::took(int length, int tokens, double seconds) {
    if (timed_ && std::exchange(has_read_prompt_, true)) timed_->took(length, tokens, seconds);
}

DraftLength::DraftLength(int most) : most_(most) { check_draft_length(most); }

}  // namespace tbt
