#include "chapters/12_speculative/draft_length.hpp"

#include <algorithm>
#include <iterator>
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

DraftLength DraftLength::adaptive(int most, double cost) {
    check_guess_cost(cost);
    DraftLength length(most);
    length.cost_ = cost;
    return length;
}

DraftLength DraftLength::timed(int most, const TimedLength::Tokens& tokens, double right) {
    DraftLength length(most);
    length.timed_ = std::make_shared<TimedLength>(most, tokens, right);
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

DraftLength::DraftLength(int most) : most_(most) { check_draft_length(most); }

TimedLength::TimedLength(int most, Tokens tokens, double right)
    : most_(most), tokens_(std::move(tokens)), judged_(5), right_(5 * right) {
    check_draft_length(most);
}

int TimedLength::next() {
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

void TimedLength::took(int length, int tokens, double seconds) {
    elapsed_ += seconds;
    if (length == 0) return since_plain_ = 0, add(plain_, seconds / std::max(tokens, 1));
    if (plain_.empty()) return;
    lost_ += seconds - tokens * plain();
    add(extra_[length], seconds - plain());
    if (best() > 0) wait_ = first_wait;
}

double TimedLength::extra(int n) const {
    if (n == 0 || extra_.empty()) return 0;
    const auto after = extra_.lower_bound(n);
    if (after != extra_.end() && after->first == n) return std::max(median(after->second), 0.0);
    const double from = after == extra_.begin() ? 0 : median(std::prev(after)->second);
    const int first = after == extra_.begin() ? 0 : std::prev(after)->first;
    if (after == extra_.end()) return std::max(from, 0.0) * n / first;
    const double share = static_cast<double>(n - first) / (after->first - first);
    return std::max(from + share * (median(after->second) - from), 0.0);
}

double TimedLength::rate(int n) const {
    return (n == 0 ? 1 : tokens_(right_ / judged_, n)) / (plain() + extra(n));
}

int TimedLength::best() const {
    if (plain_.empty() || extra_.empty()) return 0;
    int best = 0;
    double most_a_second = worth / plain();
    for (int n = 1; n <= most_; ++n)
        if (rate(n) > most_a_second) best = n, most_a_second = rate(n);
    return best;
}

int TimedLength::worth_trying(int best) const {
    int chosen = 0;
    double most_a_second = worth * rate(best);
    for (int n = 1; n <= most_; ++n) {
        const auto tried = extra_.find(n);
        if (tried != extra_.end() && tried->second.size() >= enough) continue;
        if (rate(n) / stair > most_a_second) chosen = n, most_a_second = rate(n) / stair;
    }
    return chosen;
}

void TimedLength::add(std::deque<double>& times, double seconds) {
    times.push_back(seconds);
    if (times.size() > remembered) times.pop_front();
}

double TimedLength::median(const std::deque<double>& times) {
    std::vector<double> sorted(times.begin(), times.end());
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
}

}  // namespace tbt
