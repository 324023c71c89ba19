#include "chapters/12_speculative/outcomes.hpp"

namespace tbt {

bool AllOutcomes::accept(double probability) {
    const double p = probability < 1 ? probability : 1;
    const double yes_no[] = {p, 1 - p};
    return choose(yes_no) == 0;
}

int AllOutcomes::draw(Candidates& distribution) {
    const std::vector<double> p = distribution.probabilities();
    return choose(p);
}

int AllOutcomes::draw(std::span<const double> weights) {
    double total = 0;
    for (const double w : weights) total += w;
    std::vector<double> p(weights.begin(), weights.end());
    for (double& x : p) x /= total;
    return choose(p);
}

bool AllOutcomes::next() {
    while (!path_.empty() && path_.back().at + 1 == path_.back().ways.size()) path_.pop_back();
    if (path_.empty()) return false;
    ++path_.back().at;
    depth_ = 0, probability_ = 1;
    return true;
}

int AllOutcomes::choose(std::span<const double> probabilities) {
    check_draw(probabilities, 0);
    if (depth_ == path_.size()) {
        Question question;
        for (std::size_t i = 0; i < probabilities.size(); ++i) {
            if (probabilities[i] > 0) question.ways.push_back({to_int(i), probabilities[i]});
        }
        path_.push_back(std::move(question));
    }
    const Question& question = path_[depth_++];
    const Way& way = question.ways[question.at];
    probability_ *= way.probability;
    return way.index;
}

}  // namespace tbt
