// What several texts are held to: a language, each text at its own place in it.
// As a step of a chain (chapter 13) it works under whatever applies the chain.
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

    // A prompt whose continuation, of at most `budget` tokens, is held to the language.
    // beginning: the part of the prompt that belongs to it already.
    // Throws Error when no text of the language fits into the budget.
    void add(std::span<const int> prompt, int budget, std::string_view beginning);

    // The constraint after a text that goes on from one of the prompts.
    GrammarMatcher& follow(const TextSoFar& text);
    // The only token that may come next; −1: there are several.
    int forced(const TextSoFar& text) { return follow(text).forced(); }

private:
    struct OfPrompt {
        std::vector<int> prompt;
        ConstraintFollower follower;
    };
    std::shared_ptr<CompiledGrammar> language_;
    std::vector<OfPrompt> prompts_;
};

// Puts the mask before all other steps. Where it leaves one token, the others are not asked; where
// a step bans every token that it leaves (no-repeat-ngram, min-new-tokens, a huge penalty), that
// step is undone for this token. So a text under a guide is never cut off by a ban.
Chain guided_chain(const Chain& chain, const std::shared_ptr<GuidedTexts>& guide);

}  // namespace tbt
