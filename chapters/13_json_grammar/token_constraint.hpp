// What a decoder needs of a language: which tokens may come next, and the promise that the text
// will be complete in time.
//
//   TokenConstraint constraint(masks, 60);      // sixty tokens at most: refused here if that cannot do
//   while (!constraint.ended() && constraint.remaining() > 0) {
//       constraint.mask().apply(logits);        // mask first, then the chain of processors, then the draw
//       constraint.advance(pick(logits));
//   }
//
// It is a value: copy it for each beam, copy it or roll it back for drafted tokens.
#pragma once

#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include "chapters/13_json_grammar/closing.hpp"
#include "chapters/13_json_grammar/mask_cache.hpp"

namespace tbt {

// A language over a vocabulary, shared by everything that decodes with it.
class GuidedLanguage {
public:
    GuidedLanguage(std::shared_ptr<ByteMachine> machine, std::shared_ptr<const TokenTrie> trie)
        : machine_(std::move(machine)), masks_(machine_, trie), closing_(masks_) {}
    GuidedLanguage(const GuidedLanguage&) = delete;

    ByteMachine& machine() { return *machine_; }
    MaskCache& masks() { return masks_; }
    Closing& closing() { return closing_; }
    const TokenTrie& trie() { return masks_.trie(); }

private:
    std::shared_ptr<ByteMachine> machine_;
    MaskCache masks_;
    Closing closing_;
};

class TokenConstraint {
public:
    using State = ByteMachine::State;
    static constexpr int no_budget = std::numeric_limits<int>::max();

    // Throws Error when no text of the language fits into the budget, with the fewest
    // tokens that do, or when the vocabulary cannot spell any. The end-of-text token needs
    // no place in the budget: a text that is complete is complete without it. beginning:
    // what stands there already, in the prompt.
    explicit TokenConstraint(std::shared_ptr<GuidedLanguage> language, int budget = no_budget,
                             std::string_view beginning = {});

    // The tokens with which the text stays completable within what is left of the budget.
    // Valid until the next call of any constraint of this language.
    const TokenMask& mask();
    // The same question for one token, without the mask.
    bool allows(int token);
    // The only token of the mask; −1: there are several, or none.
    int forced();

    // Throws Error when the token is not allowed.
    void advance(int token);
    // Takes the last tokens back.
    void rollback(int tokens);

    bool complete() const {
        return ended_ || language_->machine().accepts(state());
    }                                      // a text of the language, as it stands
    bool ended() const { return ended_; }  // the end-of-text token was read
    int length() const {
        return static_cast<int>(states_.size()) - 1;
    }  // tokens read, without end-of-text
    int remaining() const { return budget_ == no_budget ? no_budget : budget_ - length(); }

    State state() const { return states_.back(); }
    GuidedLanguage& language() const { return *language_; }

private:
    bool leaves_enough(State reached);
    const TokenMask& tightened();

    std::shared_ptr<GuidedLanguage> language_;
    int budget_;
    std::vector<State> states_;  // one for each token read, and the first
    bool ended_ = false;
    TokenMask tight_;
    bool tight_ready_ = false;
};

}  // namespace tbt
