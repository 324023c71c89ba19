// Constrains several texts by one language (a compiled grammar), each with its own matcher. It is a
// step of a chain (chapter 13), so it works in every loop that applies the chain.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chapters/10_generate/text_writer.hpp"
#include "chapters/13_json_grammar/grammar_step.hpp"

namespace tbt {

class GuidedTexts {
public:
    explicit GuidedTexts(std::shared_ptr<CompiledGrammar> language)
        : language_(std::move(language)) {}

    // Registers a prompt. Its continuation, of at most `budget` tokens, must be in the language.
    // beginning: the part of the prompt that already belongs to the constrained text. Throws Error
    // if no text of the language fits into the budget.
    void add(std::span<const int> prompt, int budget, std::string_view beginning);

    // The matcher after a text that continues one of the prompts.
    GrammarMatcher& follow(const TextSoFar& text);
    // The only token that may come next; −1 if there are several.
    int forced(const TextSoFar& text) { return follow(text).forced(); }

private:
    struct OfPrompt {
        std::vector<int> prompt;
        ConstraintFollower follower;
    };
    std::shared_ptr<CompiledGrammar> language_;
    std::vector<OfPrompt> prompts_;
};

// Puts the mask before all other steps. If it leaves one token, the other steps do not run. If a
// step bans every token that is left (no-repeat-ngram, min-new-tokens, a huge penalty), that step
// is undone at this position. So a ban never ends a text under a guide.
Chain guided_chain(const Chain& chain, const std::shared_ptr<GuidedTexts>& guide);

}  // namespace tbt
