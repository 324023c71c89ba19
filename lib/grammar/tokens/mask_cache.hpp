// Computes token masks: the exact set of tokens that may come next in a state. Masks are cached by
// state.
//
// A token is legal iff the recognizer accepts all its bytes one after another. Trying V = 50,257
// tokens one by one at each step would take longer than a small model, so
//   1. the vocabulary is a trie, and a refused byte prunes everything below it (token_trie.hpp);
//   2. if many bytes lead from a state to the same next state, all tokens made of these bytes are
//      decided at once (token_runs.hpp);
//   3. states with the same innermost part share most of the mask (the mask of their abstraction);
//      only below the few trie nodes where a token leaves that part is the full state used;
//   4. the finished mask is kept for its state. The part below each first byte is kept too, for all
//      abstractions that reach the same state there: after `,"` most keys are those of the member
//      before.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/grammar/flat_map.hpp"
#include "lib/grammar/recognizer/recognizer.hpp"
#include "lib/grammar/tokens/token_mask.hpp"
#include "lib/grammar/tokens/token_reach.hpp"
#include "lib/grammar/tokens/token_runs.hpp"
#include "lib/grammar/tokens/token_trie.hpp"

namespace tbt {

class MaskCache {
public:
    using State = Recognizer::State;

    struct Entry {
        const TokenMask& mask;  // with the end-of-text token iff the text may end here
        int max_to_end;         // an upper bound of to_end after any of these tokens
        int only;               // the token, if there is exactly one; else −1
    };

    // Subtrees of at most `small` nodes are walked node by node. Throws Error if a pointer is null.
    MaskCache(std::shared_ptr<Recognizer> recognizer, std::shared_ptr<const TokenTrie> trie,
              int small = 256)
        : recognizer_(std::move(recognizer)),
          trie_(std::move(trie)),
          runs_(*checked(recognizer_), *checked(trie_)),
          reached_(*recognizer_, *trie_, runs_, small),
          small_(small),
          bound_(trie_->has_all_byte_tokens() ? recognizer_->tokens_to_end(*trie_) : nullptr) {}

    // The mask of a state. Valid until the next call.
    Entry of(State state);

    // The states that tokens lead to.
    TokenReach& reached() { return reached_; }

    // An upper bound of the tokens that complete the text, if every byte is a token. Some token
    // leads to a smaller bound.
    int to_end(State state) {
        return bound_ ? bound_->of(state) : recognizer_->closing_bytes(state);
    }
    // For an abstracted state to_end counts the known part; the forgotten part adds at most this.
    int hidden(State state) {
        return bound_ ? bound_->hidden(state) : recognizer_->hidden_bytes(state);
    }
    // Null: the bound is closing_bytes.
    TokensToEnd* bound() { return bound_.get(); }

    Recognizer& recognizer() { return *recognizer_; }
    TokenRuns& runs() { return runs_; }
    const TokenTrie& trie() const { return *trie_; }
    std::size_t memory() const {
        const std::size_t mask = static_cast<std::size_t>(trie_->vocabulary()) / 8 + 200;
        return (state_masks_.size() + partial_masks_.size()) * mask + entries_.memory() +
               cached_.capacity() * sizeof(CachedEntry) + partial_index_.memory() + part_bytes_ +
               part_index_.memory() + runs_.memory() + reached_.memory() +
               (bound_ ? bound_->memory() : 0);
    }
    // Drops everything that is known about states.
    void forget() {
        entries_.clear(), cached_.clear(), state_masks_.clear(), used_ = 0;
        partial_index_.clear(), partial_masks_.clear(), last_ = {};
        part_index_.clear(), parts_.clear(), part_bytes_ = 0;
        runs_.forget(), reached_.forget();
        if (bound_) bound_->forget();
    }
    std::size_t partial_masks() const { return partial_masks_.size(); }
    std::size_t masks() const { return entries_.size(); }

private:
    template <class Pointer>
    static const Pointer& checked(const Pointer& p) {
        if (!p) throw Error("masks: there is no recognizer, or no vocabulary");
        return p;
    }
    struct PartialMask {
        TokenMask mask;
        int max_to_end = 0, only = -1;
        // Trie nodes at which the abstraction knows too little.
        std::vector<std::int32_t> exits;
    };
    // The mask of a state: mostly that of its abstraction, else its own.
    struct CachedEntry {
        const PartialMask* mask;
        int max_to_end;
    };
    struct Place {
        int node = -1;  // a trie node; −1 is the root
        State state = 0;
        bool operator==(const Place&) const = default;
    };
    struct PlaceHash {
        std::uint64_t operator()(const Place& p) const {
            return mixed(static_cast<std::uint32_t>(p.node), p.state);
        }
    };
    // The decisions of an abstraction below a node. Few tokens are in the list, many in the mask.
    struct Part {
        std::vector<std::int32_t> tokens, exits;
        TokenMask mask;
        int max_to_end = 0;
    };
    static constexpr std::size_t max_entries = 4096;  // 6 KB each at V = 50,257

    const PartialMask& abstraction(State abstracted);
    PartialMask& copy_for_state(const PartialMask& like);
    void finish(PartialMask& o);
    void decide_below(Place place, PartialMask& o);
    void decide_by_run(const ByteRun& run, int node, PartialMask& o);
    void decide_by_walk(Place place, PartialMask& o);
    bool decide(Place place, PartialMask& o);
    const Part& part(Place place);
    void add_part(Place place, PartialMask& o);

    std::shared_ptr<Recognizer> recognizer_;
    std::shared_ptr<const TokenTrie> trie_;
    TokenRuns runs_;
    TokenReach reached_;
    int small_;
    std::unique_ptr<TokensToEnd> bound_;
    WordMap entries_;  // by state: its index in cached_
    std::vector<CachedEntry> cached_;
    std::deque<PartialMask> state_masks_;  // the first used_ are in use; the others can be reused
    std::size_t used_ = 0;
    WordMap partial_index_;  // by the abstracted state
    std::deque<PartialMask> partial_masks_;
    FlatMap<Place, PlaceHash> part_index_;
    std::deque<Part> parts_;
    std::size_t part_bytes_ = 0;
    bool computing_abstraction_ = false;
    PartialMask scratch_part_;  // scratch memory of part()
    struct {
        State state = Recognizer::dead;
        int to_end = 0;
        bool escaped = false;
    } last_;  // the state that decide() looked at last
    std::vector<Place> open_;
    std::vector<State> scratch_;
};

}  // namespace tbt
