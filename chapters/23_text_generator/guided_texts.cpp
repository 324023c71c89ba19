#include "chapters/23_text_generator/guided_texts.hpp"

#include <algorithm>
#include <utility>

#include "lib/error.hpp"

namespace tbt {

void GuidedTexts::add(std::span<const int> prompt, int budget, std::string_view beginning) {
    prompts_.push_back({{prompt.begin(), prompt.end()},
                        ConstraintFollower(TokenConstraint(language_, budget, beginning))});
}

TokenConstraint& GuidedTexts::follow(const TextSoFar& text) {
    const std::span<const int> prompt = text.ids.first(text.prompt_length);
    for (OfPrompt& p : prompts_) {
        if (std::equal(p.prompt.begin(), p.prompt.end(), prompt.begin(), prompt.end()))
            return p.follower.follow(text.generated());
    }
    throw Error("guided: a text after a prompt that was not announced");
}

Chain guided_chain(const Chain& chain, const std::shared_ptr<GuidedTexts>& guide) {
    std::vector<ChainStep> steps;
    steps.push_back(grammar_step(
        [guide](const TextSoFar& text) -> TokenConstraint& { return guide->follow(text); }));
    for (const ChainStep& step : chain.steps()) {
        steps.push_back(step);
        steps.back().apply = [apply = step.apply](Candidates& c, const TextSoFar& text) {
            if (c.size() > 1) apply(c, text);
        };
    }
    return Chain(std::move(steps));
}

}  // namespace tbt
