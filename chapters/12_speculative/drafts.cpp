#include "chapters/12_speculative/drafts.hpp"

namespace tbt {

ModelDraft::ModelDraft(NextLogits model, int context)
    : model_(std::move(model)), context_(index(context)) {
    check_at_least("draft: context", context, 0);
    if (!model_) throw Error("draft: there is no model");
}

PromptLookup::PromptLookup(int longest) : longest_(longest) {
    if (longest < 1)
        throw UsageError("prompt lookup: an n-gram of " + std::to_string(longest) +
                         " tokens, expected 1 or more");
}

std::size_t PromptLookup::follower(std::span<const int> ids) const {
    for (std::size_t n = std::min(index(longest_), ids.size()); n >= 1; --n) {
        const std::span<const int> tail = ids.last(n);
        for (std::size_t start = ids.size() - n; start-- > 0;) {
            if (std::equal(tail.begin(), tail.end(), ids.begin() + to_int(start))) return start + n;
        }
    }
    return ids.size();
}

void check_same_vocabulary(const Tokenizer& target, const Tokenizer& draft) {
    const std::string why = "; a draft must have the target's tokenizer";
    if (target.vocab_size() != draft.vocab_size()) {
        throw Error("speculative: the target has " + std::to_string(target.vocab_size()) +
                    " tokens, the draft " + std::to_string(draft.vocab_size()) + why);
    }
    for (int id = 0; id < target.vocab_size(); ++id) {
        if (target.token_bytes(id) == draft.token_bytes(id) &&
            target.is_special(id) == draft.is_special(id))
            continue;
        throw Error("speculative: token " + std::to_string(id) + " is '" +
                    std::string(target.token_bytes(id)) + "' for the target and '" +
                    std::string(draft.token_bytes(id)) + "' for the draft" + why);
    }
}

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
