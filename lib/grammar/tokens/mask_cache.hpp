// From bytes to tokens: the exact set of tokens that keep a text alive,
// computed once for each state.
//
// A token is legal iff the recognizer survives all its bytes. Trying V = 50,257 tokens one by one
// at each step would cost more than a small model does, so
//   1. the vocabulary is a tree, and a refused byte prunes everything below it (token_trie.hpp);
//   2. where many bytes lead a state to the same next one, all tokens made of them are decided
//      at once (token_runs.hpp);
//   3. what depends on the innermost part of a state only is found once for all states that share
//      it (the abstraction), with the few nodes of the tree where a token leaves that part: what is
//      below them is walked with the real state;
//   4. the result is kept for the state, and what lies below each first byte for every abstraction
//      that comes to the same state there: after `,"` most keys are those of the member before.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "lib/error.hpp"
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
        int costliest;          // to_end after any of the tokens: at most this
        int only;               // the token, when there is just one
    };

    // Parts of the tree with fewer nodes than `small` are walked node by node.
    MaskCache(std::shared_ptr<Recognizer> recognizer, std::shared_ptr<const TokenTrie> trie,
              int small = 256)
        : recognizer_(std::move(recognizer)),
          trie_(std::move(trie)),
          runs_(*checked(recognizer_), *checked(trie_)),
          reached_(*recognizer_, *trie_, runs_, small),
          small_(small),
          bound_(trie_->spells_every_byte() ? recognizer_->tokens_to_end(*trie_) : nullptr) {}

    // Valid until the next call.
    Entry of(State state);

    // The states after tokens.
    TokenReach& reached() { return reached_; }

    // So many tokens complete the text, if every byte is a token: an upper bound, and after
    // one of them it is smaller.
    int to_end(State state) {
        return bound_ ? bound_->of(state) : recognizer_->closing_bytes(state);
    }
    // Of an abstracted state to_end counts the known part; the forgotten part adds at most this.
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
        return (own_.size() + partial_masks_.size()) * mask + entries_.memory() +
               known_.capacity() * sizeof(Known) + partial_index_.memory() + part_bytes_ +
               part_index_.memory() + runs_.memory() + reached_.memory() +
               (bound_ ? bound_->memory() : 0);
    }
    // Everything that is known of states.
    void forget() {
        entries_.clear(), known_.clear(), own_.clear(), owned_ = 0;
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
        int costliest = 0, only = -1;
        std::vector<std::int32_t>
            exits;  // nodes of the tree after which the abstraction knows too little
    };
    // Of a state: mostly the mask of its abstraction, else its own.
    struct Known {
        const PartialMask* mask;
        int costliest;
    };
    struct Place {
        int node = -1;  // the root
        State state = 0;
        bool operator==(const Place&) const = default;
    };
    struct PlaceHash {
        std::uint64_t operator()(const Place& p) const {
            return mixed(static_cast<std::uint32_t>(p.node), p.state);
        }
    };
    // What an abstraction has below a node: few tokens are listed.
    struct Part {
        std::vector<std::int32_t> tokens, exits;
        TokenMask mask;
        int costliest = 0;
    };
    static constexpr std::size_t most_entries = 4096;  // 6 KB each at V = 50,257

    const PartialMask& abstraction(State abstracted);
    PartialMask& own_mask(const PartialMask& like);
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
    WordMap entries_;  // the places of states in known_
    std::vector<Known> known_;
    std::deque<PartialMask> own_;  // the first owned_ are in use, the others were
    std::size_t owned_ = 0;
    WordMap partial_index_;  // by the abstracted state
    std::deque<PartialMask> partial_masks_;
    FlatMap<Place, PlaceHash> part_index_;
    std::deque<Part> parts_;
    std::size_t part_bytes_ = 0;
    bool for_abstraction_ = false;
    PartialMask below_;  // of a part
    struct {
        State state = Recognizer::dead;
        int to_end = 0;
        bool escaped = false;
    } last_;  // that was decided
    std::vector<Place> open_;
    std::vector<State> scratch_;
};

}  // namespace tbt
