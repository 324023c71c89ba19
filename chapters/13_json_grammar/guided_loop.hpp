// The decoding loop under a constraint: first the mask, then a function that picks a token.
#pragma once

#include <span>
#include <vector>

#include "chapters/01_next_token/next_token.hpp"
#include "lib/grammar/tokens/grammar_matcher.hpp"

namespace tbt {

struct GuidedText {
    std::vector<int> ids;  // prompt and new tokens, without end-of-text
    int forward_passes = 0;
    int forced = 0;         // tokens appended without asking the model
    bool complete = false;  // the new text is a whole text of the language
};

// pick(logits, ids) returns a token whose logit is not −∞. emit(id) is called for each new token
// and ends the text by returning false.
//
// If only one token is legal, it is appended without asking the model, and so are the next ones
// while only one is legal. The model reads this whole run in the forward pass that predicts the
// next free token.
template <class Pick, class Emit>
GuidedText generate_guided(const NextLogits& model, std::vector<int> ids,
                           GrammarMatcher& constraint, Pick&& pick, Emit&& emit) {
    GuidedText text;
    const int eos = constraint.language().trie().eos();
    std::vector<float> legal;
    while (!constraint.ended() && constraint.remaining() > 0) {
        int id = constraint.forced();
        if (id >= 0) {
            if (id != eos) ++text.forced;
        } else {
            const TokenMask& mask = constraint.mask();
            if (mask.count() == 0) break;  // complete, and the vocabulary has no end-of-text
            const std::span<const float> logits = model(ids);
            ++text.forward_passes;
            legal.assign(logits.begin(), logits.end());
            mask.apply(legal);
            id = pick(std::span<const float>(legal), ids);
        }
        constraint.advance(id);
        if (id == eos) break;
        ids.push_back(id);
        if (!emit(id)) break;
    }
    text.complete = constraint.complete();
    text.ids = std::move(ids);
    return text;
}

}  // namespace tbt
