#include "chapters/12_speculative/timed_length.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "chapters/12_speculative/checks.hpp"

namespace tbt {

TimedLength::TimedLength(int most, Tokens tokens, double right)
    : most_(most), tokens_(std::move(tokens)), judged_(5), right_(5 * right) {
    check_draft_length(most);
}

int TimedLength::next() {
    if (plain_.empty()) return ++rounds_ == 1 ? 1 : 0;
    if (++since_plain_ > check_plain_every) return 0;
    if (lost_ > budget * elapsed_ + 2 * plain()) return 0;
    const int pays = extra_.empty() ? 1 : best();
    if (pays > 0 || ++idle_ < wait_) return pays;
    idle_ = 0, wait_ *= 2;
    return 1;  // checks again whether drafting gains
}

void TimedLength::took(int length, int tokens, double seconds) {
    elapsed_ += seconds;
    if (length == 0) return since_plain_ = 0, add(plain_, seconds / std::max(tokens, 1));
    if (plain_.empty()) return;
    lost_ += seconds - tokens * plain();
    add(extra_, (seconds - plain()) / length);
    if (best() > 0) wait_ = first_wait;
}

int TimedLength::best() const {
    if (plain_.empty() || extra_.empty()) return 0;
    int best = 0;
    double most_a_second = worth / plain();
    for (int n = 1; n <= most_; ++n) {
        const double seconds = plain() + n * std::max(median(extra_), 0.0);
        const double rate = tokens_(right_ / judged_, n) / seconds;
        if (rate > most_a_second) best = n, most_a_second = rate;
    }
    return best;
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
