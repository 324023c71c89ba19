// What a decoder needs of a language: which tokens may come next, and the promise that the text
// will be complete in time.
//
//   GrammarMatcher constraint(masks, 60);  // sixty tokens at most: refused here if too few
//   while (!constraint.ended() && constraint.remaining() > 0) {
//       constraint.mask().apply(logits);    // mask first, then the chain, then the draw
//       constraint.advance(pick(logits));
//   }
//
// It is a value: copy it for each beam, copy it or roll it back for drafted tokens.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/grammar/tokens/closing.hpp"
#include "lib/grammar/tokens/mask_cache.hpp"
#include "lib/index.hpp"

namespace tbt {

// A language over a vocabulary, shared by everything that decodes with it.
class CompiledGrammar {
public:
    static constexpr std::size_t default_memory = std::size_t{64} << 20;

    // memory: so many bytes for states, masks and the ways to an end; beyond, all of it is
    // forgotten and found again.
    CompiledGrammar(std::shared_ptr<Recognizer> recognizer, std::shared_ptr<const TokenTrie> trie,
                    std::size_t memory = default_memory)
        : recognizer_(std::move(recognizer)),
          masks_(recognizer_, std::move(trie)),
          closing_(masks_),
          limit_(memory),
          epoch_(recognizer_->epoch()) {}
    CompiledGrammar(const CompiledGrammar&) = delete;

    Recognizer& recognizer() { return *recognizer_; }
    MaskCache& masks() { return masks_; }
    Closing& closing() { return closing_; }
    const TokenTrie& trie() { return masks_.trie(); }

    std::size_t memory() const {
        return recognizer_->memory() + masks_.memory() + closing_.memory();
    }
    // Forgets when there is too much to remember. Afterwards states of another epoch are numbers
    // without a meaning.
    void tidy() {
        // Adding it up takes longer than most masks of a schema with thousands of objects.
        if (++asked_ % 16 == 0 && memory() > limit_) {
            recognizer_->forget();
            masks_.forget();
            closing_.forget();
            limit_ = std::max(limit_, 2 * memory());
        }
        epoch();
    }
    unsigned epoch() {
        if (epoch_ != recognizer_->epoch()) {
            masks_.forget();
            closing_.forget();
            epoch_ = recognizer_->epoch();
        }
        return epoch_;
    }

private:
    std::shared_ptr<Recognizer> recognizer_;
    MaskCache masks_;
    Closing closing_;
    std::size_t limit_;
    unsigned epoch_, asked_ = 0;
};

class GrammarMatcher {
public:
    using State = Recognizer::State;
    static constexpr int no_budget = std::numeric_limits<int>::max();

    // Throws Error when no text of the language fits into the budget, with the fewest
    // tokens that do, or when the vocabulary cannot spell any. The end-of-text token needs
    // no place in the budget: a text that is complete is complete without it. beginning:
    // what the prompt has of the text already.
    explicit GrammarMatcher(std::shared_ptr<CompiledGrammar> language, int budget = no_budget,
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

    // Is it a text of the language as it is?
    bool complete() const { return ended_ || language_->recognizer().accepts(state()); }
    bool ended() const { return ended_; }       // the end-of-text token was read
    int length() const { return count(ids_); }  // tokens read, without end-of-text
    int remaining() const { return budget_ == no_budget ? no_budget : budget_ - length(); }

    State state() const {
        read_again();
        return states_.back();
    }
    CompiledGrammar& language() const { return *language_; }
    // What was read so far, the beginning too.
    std::string text() const;

private:
    bool leaves_enough(State reached);
    const TokenMask& tightened();
    bool tighten_by_groups();
    void read_again() const;

    std::shared_ptr<CompiledGrammar> language_;
    int budget_;
    std::string beginning_;
    std::vector<int> ids_;               // tokens read
    mutable std::vector<State> states_;  // the first, and one after each token
    mutable unsigned epoch_ = 0;         // in which the states mean something
    bool ended_ = false;
    TokenMask tight_;
    bool tight_ready_ = false;
};

}  // namespace tbt
