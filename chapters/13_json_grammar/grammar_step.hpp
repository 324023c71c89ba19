// Makes the token mask of a grammar a step of a sampling chain (chapter 06). It comes first, so
// penalties, temperature and truncation see only legal tokens.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "chapters/06_combining/chain.hpp"
#include "lib/grammar/tokens/grammar_matcher.hpp"

namespace tbt {

// A step named "grammar", which in_order puts before all others in every dialect.
// follow: returns the matcher after a text.
inline ChainStep grammar_step(std::function<GrammarMatcher&(const TextSoFar&)> follow) {
    const auto keys = std::make_shared<std::vector<float>>();
    return {"grammar", "",
            [follow = std::move(follow), keys](Candidates& c, const TextSoFar& text) {
                const TokenMask& mask = follow(text).mask();
                keys->resize(c.size());
                std::size_t allowed = 0;
                for (std::size_t i = 0; i < c.size(); ++i)
                    allowed += ((*keys)[i] = mask.test(c.id(i)) ? 1.0f : 0.0f) > 0;
                if (allowed == 0)
                    throw Error(
                        "grammar: the text is complete, and the model has no token to end it with; "
                        "check the constraint before the chain");
                c.keep_by(*keys, {0.5f, c.size()});
            }};
}

inline ChainStep grammar_step(const GrammarMatcher& start) {
    const auto follower = std::make_shared<ConstraintFollower>(start);
    return grammar_step([follower](const TextSoFar& text) -> GrammarMatcher& {
        return follower->follow(text.generated());
    });
}

// The same for a beam search (chapter 11): applies each beam's own mask to its log-probabilities.
// They are not renormalised, so beams are compared by the model's probability of their texts.
// If a text is complete but the vocabulary has no end-of-text token, no token is left.
inline std::function<void(std::span<float>, std::span<const int>)> grammar_processor(
    const GrammarMatcher& start, std::size_t prompt_length) {
    const auto follower = std::make_shared<ConstraintFollower>(start);
    return [follower, prompt_length](std::span<float> log_probs, std::span<const int> ids) {
        if (ids.size() < prompt_length)
            throw Error("grammar: a text of " + std::to_string(ids.size()) +
                        " tokens, shorter than its prompt of " + std::to_string(prompt_length));
        follower->follow(ids.subspan(prompt_length)).mask().apply(log_probs);
    };
}

}  // namespace tbt
