// The mask as the first step of a sampling chain (chapter 06): penalties, temperature and cuts see
// only what is legal.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "chapters/06_combining/chain.hpp"
#include "chapters/13_json_grammar/token_constraint.hpp"

namespace tbt {

// Follows a text that may also be taken back, or be another beam's:
// what the new ids share with the last ones stays read.
class ConstraintFollower {
public:
    explicit ConstraintFollower(TokenConstraint start) : constraint_(std::move(start)) {}

    // The constraint behind these generated ids. Throws Error when one of them is not allowed.
    TokenConstraint& follow(std::span<const int> generated) {
        const auto common = static_cast<std::size_t>(
            std::mismatch(generated.begin(), generated.end(), read_.begin(), read_.end()).first -
            generated.begin());
        constraint_.rollback(static_cast<int>(read_.size() - common));
        read_.resize(common);
        for (const int id : generated.subspan(common)) {
            constraint_.advance(id);
            read_.push_back(id);
        }
        return constraint_;
    }

private:
    TokenConstraint constraint_;
    std::vector<int> read_;
};

// A step named "grammar", which in_order puts before all others in every dialect.
inline ChainStep grammar_step(const TokenConstraint& start) {
    const auto follower = std::make_shared<ConstraintFollower>(start);
    const auto keys = std::make_shared<std::vector<float>>();
    return {"grammar", "", [follower, keys](Candidates& c, const TextSoFar& text) {
                const TokenMask& mask = follower->follow(text.generated()).mask();
                keys->resize(c.size());
                std::size_t allowed = 0;
                for (std::size_t i = 0; i < c.size(); ++i)
                    allowed += ((*keys)[i] = mask.test(c.id(i)) ? 1.0f : 0.0f) > 0;
                if (allowed == 0)
                    throw Error(
                        "grammar: the text is complete and there is no token to end it with; ask "
                        "the constraint "
                        "before the chain");
                c.keep_by(*keys, {0.5f, c.size()});
            }};
}

// The same for a beam search (chapter 11): each beam's own mask, on its log-probabilities.
// They are not renormalised, so beams compare by the model's probability of their texts.
// Nothing stays where a text is complete and cannot be ended.
inline std::function<void(std::span<float>, std::span<const int>)> grammar_processor(
    const TokenConstraint& start, std::size_t prompt_length) {
    const auto follower = std::make_shared<ConstraintFollower>(start);
    return [follower, prompt_length](std::span<float> log_probs, std::span<const int> ids) {
        follower->follow(ids.subspan(prompt_length)).mask().apply(log_probs);
    };
}

}  // namespace tbt
