#include "chapters/23_text_generator/guided_texts.hpp"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "lib/core/error.hpp"

namespace tbt {

void GuidedTexts::add(std::span<const int> prompt, int budget, std::string_view beginning) {
    prompts_.push_back({{prompt.begin(), prompt.end()},
                        ConstraintFollower(GrammarMatcher(language_, budget, beginning))});
}

GrammarMatcher& GuidedTexts::follow(const TextSoFar& text) {
    const std::span<const int> prompt = text.ids.first(text.prompt_length);
    for (OfPrompt& p : prompts_) {
        if (std::equal(p.prompt.begin(), p.prompt.end(), prompt.begin(), prompt.end()))
            return p.follower.follow(text.generated());
    }
    throw Error("guided: the prompt of this text was not registered");
}

namespace {

// Applies a step, and undoes it if it bans all candidates. Only penalties and bans can do that, and
// they change logits without dropping candidates.
void apply_unless_all_banned(const std::function<void(Candidates&, const TextSoFar&)>& step,
                             Candidates& c, const TextSoFar& text) {
    const std::vector<float> before(c.logits().begin(), c.logits().end());
    step(c, text);
    if (c.size() != before.size() || c.count() > 0) return;
    for (std::size_t i = 0; i < before.size(); ++i) *c.find(c.id(i)) = before[i];
}

}  // namespace

Chain guided_chain(const Chain& chain, const std::shared_ptr<GuidedTexts>& guide) {
    std::vector<ChainStep> steps;
    steps.push_back(grammar_step(
        [guide](const TextSoFar& text) -> GrammarMatcher& { return guide->follow(text); }));
    for (const ChainStep& step : chain.steps()) {
        steps.push_back(step);
        steps.back().apply = [apply = step.apply](Candidates& c, const TextSoFar& text) {
            if (c.size() > 1) apply_unless_all_banned(apply, c, text);
        };
    }
    return Chain(std::move(steps));
}

}  // namespace tbt
