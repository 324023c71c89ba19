// Keeps one text within a grammar and a budget of tokens. It says which tokens may come next, and
// guarantees that the text is complete before the budget is used up.
//
//   GrammarMatcher constraint(language, 60);  // at most sixty tokens; throws if that is too few
//   while (!constraint.ended() && constraint.remaining() > 0) {
//       constraint.mask().apply(logits);      // the mask comes before the sampling chain
//       constraint.advance(pick(logits));
//   }
//
// A matcher is a value: copy it for each beam; copy it or roll it back for drafted tokens.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lib/core/index.hpp"
#include "lib/grammar/tokens/mask_cache.hpp"

namespace tbt {

// Decides whether a text can be completed within its budget of tokens. This is checked before the
// first token, and whenever the budget runs low.
//
// If every byte is a token, no search is needed. An upper bound of the tokens to the end decides:
//
//   bound(s)   a text in state s can be completed with this many tokens; 0 iff it may end in s
//
// Some token always leads to a smaller bound. So if bound(start) <= budget, and the decoder keeps
// only tokens after which the bound fits the rest of the budget, at least one token is always left.
// The fewest bytes to the end are such a bound; a grammar has a tighter one (token_bound.hpp).
class Closing {
public:
    using State = Recognizer::State;
    static constexpr int never = std::numeric_limits<int>::max();

    explicit Closing(MaskCache& masks) : masks_(&masks) {}

    // A number of tokens that is enough to complete the text. never: the vocabulary cannot spell
    // any completion, or the search found none. A search ends after `most` tokens.
    int enough(State state, int most = never);
    // Can the text be completed with at most this many tokens? False if enough() knows no such way.
    bool fits(State state, int tokens) {
        const int least = enough(state, tokens);
        return least != never && least <= tokens;
    }

    // Is every byte a token? Then closing_bytes tokens are always enough.
    bool has_all_byte_tokens() const { return masks_->trie().has_all_byte_tokens(); }

    std::size_t memory() const { return enough_.size() * 48; }  // in bytes, an estimate
    void forget() { enough_.clear(); }

private:
    int try_everything(State state, int most);

    MaskCache* masks_;
    // For vocabularies that lack bytes: the tokens that are enough, from paths found so far.
    std::unordered_map<State, int> enough_;
};

// A language over the tokens of a vocabulary, with its caches. All matchers of it share one object.
class CompiledGrammar {
public:
    static constexpr std::size_t default_memory = std::size_t{64} << 20;
    static constexpr std::size_t default_work = 2'000'000;  // a fifth of a second

    // memory: a limit in bytes for states, masks and bounds. Above it all of them are dropped and
    // computed again when needed. work: the most derivations followed for one token. Throws Error
    // if a pointer is null.
    CompiledGrammar(std::shared_ptr<Recognizer> recognizer, std::shared_ptr<const TokenTrie> trie,
                    std::size_t memory = default_memory, std::size_t work = default_work)
        : recognizer_(std::move(recognizer)),
          masks_(recognizer_, std::move(trie)),
          closing_(masks_),
          limit_(memory),
          work_(work),
          epoch_(recognizer_->epoch()) {}
    CompiledGrammar(const CompiledGrammar&) = delete;

    Recognizer& recognizer() { return *recognizer_; }
    MaskCache& masks() { return masks_; }
    Closing& closing() { return closing_; }
    const TokenTrie& trie() { return masks_.trie(); }

    std::size_t memory() const {
        return recognizer_->memory() + masks_.memory() + closing_.memory();
    }
    // Drops everything if it uses too much memory. That changes epoch(); states of an earlier epoch
    // are invalid then.
    void tidy() {
        // Not at every call: adding up the memory takes longer than most masks.
        if (++asked_ % 16 == 0 && memory() > limit_) {
            recognizer_->forget();
            masks_.forget();
            closing_.forget();
            limit_ = std::max(limit_, 2 * memory());
        }
        epoch();
    }
    // Does something for one token, within the limit of work. Throws TooAmbiguous beyond.
    template <class Work>
    decltype(auto) within_limit(Work&& work) {
        struct Limit {
            Recognizer& recognizer;
            ~Limit() { recognizer.allow_work(Recognizer::any_work); }
        } limit{*recognizer_};
        recognizer_->allow_work(work_);
        try {
            return work();
        } catch (const TooAmbiguous&) {
            masks_.forget();  // a mask may be half made
            throw;
        }
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
    std::size_t limit_, work_;
    unsigned epoch_, asked_ = 0;
};

class GrammarMatcher {
public:
    using State = Recognizer::State;
    static constexpr int no_budget = std::numeric_limits<int>::max();

    // budget: the most tokens of the text, not counting the end-of-text token. beginning: the part
    // of the text that the prompt already has. Throws UsageError if the budget is negative or no
    // text begins with `beginning`. Throws Error if the language is empty, if the budget is too
    // small (the message says how many are enough), or if the vocabulary cannot spell any text.
    explicit GrammarMatcher(std::shared_ptr<CompiledGrammar> language, int budget = no_budget,
                            std::string_view beginning = {});

    // The tokens after which the text can still be completed within the rest of the budget.
    // Valid until the next call of any matcher of this language. Throws TooAmbiguous, as allows(),
    // forced() and advance() do, if the grammar has too many derivations for the text.
    const TokenMask& mask();
    // Is this token in the mask? Does not compute the mask.
    bool allows(int token);
    // The only token of the mask; −1 if there are several, or none.
    int forced() { return mask().only(); }

    // Reads a token. Throws Error if it is not allowed.
    void advance(int token);
    // Takes back the last tokens. Throws Error if fewer were read.
    void rollback(int tokens);

    // May the text end here?
    bool complete() const { return ended_ || language_->recognizer().accepts(state()); }
    bool ended() const { return ended_; }       // the end-of-text token was read
    int length() const { return count(ids_); }  // tokens read, without end-of-text
    int remaining() const { return budget_ == no_budget ? no_budget : budget_ - length(); }

    State state() const {
        read_again();
        return states_.back();
    }
    CompiledGrammar& language() const { return *language_; }
    // The bytes read so far, including `beginning`.
    std::string text() const;

private:
    bool leaves_enough(State reached);
    const TokenMask& tightened();
    bool tighten_by_groups();
    void tighten_by_states();
    void read_again() const;

    std::shared_ptr<CompiledGrammar> language_;
    int budget_;
    std::string beginning_;
    std::vector<int> ids_;               // tokens read
    mutable std::vector<State> states_;  // the start state, and the state after each token
    mutable unsigned epoch_ = 0;         // the epoch of these states
    bool ended_ = false;
    TokenMask tight_;
    bool tight_ready_ = false;
    std::vector<State> walked_;  // scratch memory of tighten_by_groups()
};

// Applies one constraint to several texts, or to a text that branches: samples, beams, drafts.
//
// Keeps up to 64 texts read so far, each with its matcher. A new text is read on from the one that
// has the longest common prefix with it.
class ConstraintFollower {
public:
    explicit ConstraintFollower(GrammarMatcher start) { texts_.push_back({std::move(start), {}}); }

    // The matcher after these generated token ids, valid until the next call.
    // Throws Error if one of them is not allowed.
    GrammarMatcher& follow(std::span<const int> generated);

private:
    struct Text {
        GrammarMatcher constraint;
        std::vector<int> read;
    };
    static constexpr std::size_t max_texts = 64;

    std::vector<Text> texts_;
};

}  // namespace tbt
