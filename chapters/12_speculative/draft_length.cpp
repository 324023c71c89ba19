#include "chapters/12_speculative/draft_length.hpp"

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

}  // namespace tbt
