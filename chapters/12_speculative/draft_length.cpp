#include "chapters/12_speculative/draft_length.hpp"

namespace tbt {

double expected_tokens(double acceptance, int length) {
    if (!(acceptance >= 0 && acceptance <= 1) || length < 0 || length > 1024)
        throw Error("draft length: acceptance " + short_number(acceptance) + " and " +
                    std::to_string(length) + " tokens, expected 0 to 1 and 0 to 1024");
    double sum = 0, power = 1;
    for (int i = 0; i <= length; ++i, power *= acceptance) sum += power;  // 1 + α + … + α^γ
    return sum;
}

int best_length(double acceptance, double cost, int most) {
    int best = 1;
    const auto gain = [&](int length) {
        return expected_tokens(acceptance, length) / (1 + cost * length);
    };
    for (int length = 2; length <= most; ++length) {
        if (gain(length) > gain(best)) best = length;
    }
    return best;
}

DraftLength DraftLength::adaptive(int most, double cost) { return DraftLength(most, cost); }

DraftLength DraftLength::timed(int most, const TimedLength::Tokens& tokens, double right) {
    DraftLength length(most, 0);
    length.timed_.emplace(most, tokens, right);
    return length;
}

int DraftLength::next() {
    if (timed_) return timed_->next();
    return cost_ > 0 ? best_length(accepted_ / judged_, cost_, most_) : most_;
}

void DraftLength::learn(int judged, int accepted) {
    if (accepted < 0 || accepted > judged)
        throw Error("draft length: " + std::to_string(accepted) + " accepted of " +
                    std::to_string(judged) + " judged");
    if (timed_) timed_->learn(judged, accepted);
    judged_ = forget * judged_ + judged;
    accepted_ = forget * accepted_ + accepted;
}

DraftLength::DraftLength(int most, double cost) : most_(most), cost_(cost) {
    check_draft_length(most);
    if (!(cost >= 0 && cost <= 1e9))
        throw UsageError("draft cost: got " + std::to_string(cost) + ", expected 0 or more");
}

}  // namespace tbt
