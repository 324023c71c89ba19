#include "chapters/13_json_grammar/grammar_step.hpp"

#include "lib/index.hpp"

namespace tbt {

GrammarMatcher& ConstraintFollower::follow(std::span<const int> generated) {
    std::size_t best = 0, common = 0;
    for (std::size_t i = 0; i < texts_.size(); ++i) {
        const std::size_t shared = common_length(texts_[i].read, generated);
        // Of those that share as much, one that needs not be taken back.
        if (shared > common || (shared == common && texts_[i].read.size() == shared &&
                                texts_[best].read.size() > common))
            best = i, common = shared;
    }
    if (texts_[best].read.size() > common && texts_.size() < most_texts) {
        texts_.push_back(texts_[best]);  // it goes on elsewhere: the two part here
        best = texts_.size() - 1;
    }
    Text& text = texts_[best];
    text.constraint.rollback(to_int(text.read.size() - common));
    text.read.resize(common);
    for (const int id : generated.subspan(common)) {
        text.constraint.advance(id);
        text.read.push_back(id);
    }
    return text.constraint;
}

std::size_t ConstraintFollower::common_length(std::span<const int> a, std::span<const int> b) {
    return index(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

ChainStep grammar_step(std::function<GrammarMatcher&(const TextSoFar&)> follow) {
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
                        "grammar: the text is complete and there is no token to end it with; ask "
                        "the constraint "
                        "before the chain");
                c.keep_by(*keys, {0.5f, c.size()});
            }};
}

ChainStep grammar_step(const GrammarMatcher& start) {
    const auto follower = std::make_shared<ConstraintFollower>(start);
    return grammar_step([follower](const TextSoFar& text) -> GrammarMatcher& {
        return follower->follow(text.generated());
    });
}

std::function<void(std::span<float>, std::span<const int>)> grammar_processor(
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
