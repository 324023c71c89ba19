// Computes token masks: the exact set of tokens that may come next in a state. Masks are cached by
// state.
//
// A token is legal iff the recognizer accepts all its bytes one after another. Trying V = 50,257
// tokens one by one at each step would take longer than a small model, so
//   1. the vocabulary is a trie, and a refused byte prunes everything below it (token_trie.hpp);
//   2. if many bytes lead from a state to the same next state, all tokens made of these bytes are
//      decided at once (ByteRun);
//   3. states with the same innermost part share most of the mask (the mask of their abstraction);
//      only below the few trie nodes where a token leaves that part is the full state used;
//   4. the finished mask is kept for its state.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/grammar/containers.hpp"
#include "lib/grammar/recognizer/recognizer.hpp"
#include "lib/grammar/tokens/token_trie.hpp"

namespace tbt {

// A run s0 → s1 → … → sn: every byte of the set leads from each state to the next. From sn no byte
// of the set is legal, unless n is `longest`. From s0 some bytes may lead elsewhere: a key that the
// schema does not name is read in other states once its first letter could begin a named key.
struct ByteRun {
    static constexpr int longest = TokenWords::longest;

    std::vector<Recognizer::State> states;
    std::shared_ptr<const TokenWords> words;
    // Bytes of the set that lead from s0 elsewhere: tokens that begin with them are not in the run.
    ByteSet without;
    const TokenMask* tokens = nullptr;  // the words without those tokens
    int length() const { return static_cast<int>(states.size()) - 1; }
};

// Walks over the tokens that are legal in a state. It visits many of them at once: those made of
// bytes between which a state does not distinguish.
//
// Inside a string most bytes make no difference. All of them lead from the state to itself or, if
// the length of the string is limited, from "24 more bytes" to "23 more bytes". Such a sequence of
// states is a run. A token of such bytes is legal if it is not longer than the run.
// Tens of thousands of tokens are of this kind, and they are the same in every string and at every
// length. So they are collected once for each set of bytes.
class TokenWalk {
public:
    using State = Recognizer::State;
    struct Place {
        int node = -1;  // a trie node; −1 is the root
        State state = 0;
        bool operator==(const Place&) const = default;
    };

    // Subtrees of at most `small` nodes are walked node by node.
    TokenWalk(Recognizer& recognizer, const TokenTrie& trie, int small)
        : recognizer_(&recognizer), trie_(&trie), small_(small) {}

    bool large(int node) const { return trie_->end(node) - node > small_; }
    // Visits the legal tokens below a place: on_run(run, node) all tokens of a run after this node,
    // on_node(node, state) a node that was read; the result says whether to go below it. Large
    // subtrees are deferred and handled separately. A list replaces recursion, since a token may
    // have sixty thousand bytes. The callbacks must not call this object.
    template <class OnRun, class OnNode>
    void below(Place place, OnRun&& on_run, OnNode&& on_node) {
        open_.assign(1, place);
        while (!open_.empty()) {
            const Place now = open_.back();
            open_.pop_back();
            if (const ByteRun* run = large(now.node) ? this->run(now.node, now.state) : nullptr) {
                on_run(*run, now.node);
                for_each_exit(*run, now.node, [&](int exit, State state) {
                    if (on_node(exit, state)) open_.push_back({exit, state});
                });
                continue;
            }
            trie_->walk(*recognizer_, now.state, now.node + 1, trie_->end(now.node), states_,
                        [&](int i, const TokenTrie::Node& node, State state) {
                            if (!on_node(i, state)) return node.end;
                            if (!large(i)) return i + 1;
                            open_.push_back({i, state});
                            return node.end;
                        });
        }
    }
    // One of the run's tokens with more than `above` and at most `to` bytes after the node; −1 if
    // there is none.
    int one_of(const ByteRun& run, int node, int above, int to) const;

    std::size_t memory() const { return link_index_.memory() + links_.capacity() * sizeof(Link); }
    void forget() { link_index_.clear(), links_.clear(); }

private:
    // The largest set of bytes that lead to one next state, and that state.
    struct Link {
        ByteSet bytes;
        State next = Recognizer::dead;
    };

    const Link& link(State state);
    // A run from `state` that decides most tokens below a trie node; null if there is none.
    // Valid until the next call.
    const ByteRun* run(int node, State state);
    // Calls visit(node, state) for each trie node at which tokens leave the run but stay legal.
    template <class Visit>
    void for_each_exit(const ByteRun& run, int node, Visit&& visit) {
        const std::vector<TokenTrie::Node>& nodes = trie_->nodes();
        elsewhere_.clear();
        for (int i = node + 1; run.without.any() && i < trie_->end(node); i = trie_->end(i)) {
            const unsigned char byte = nodes[index(i)].byte;
            if (!run.without[byte]) continue;
            elsewhere_.push_back(i);
            const State state = recognizer_->next(run.states[0], byte);
            if (state != Recognizer::dead) visit(i, state);
        }
        std::size_t passed = 0;
        for (const int exit : run.words->exits) {
            const TokenTrie::Node& n = nodes[index(exit)];
            while (passed < elsewhere_.size() && trie_->end(elsewhere_[passed]) <= exit) ++passed;
            if (passed < elsewhere_.size() && elsewhere_[passed] <= exit) continue;
            const int before = n.depth - trie_->depth(node) - 1;  // bytes read in the run
            if (before > run.length()) continue;
            const State state = recognizer_->next(run.states[index(before)], n.byte);
            if (state != Recognizer::dead) visit(exit, state);
        }
    }
    bool follow(State state, const ByteSet& bytes);
    void leave_out(int node);

    Recognizer* recognizer_;
    const TokenTrie* trie_;
    int small_;
    WordMap link_index_;  // by state
    std::vector<Link> links_;
    // Scratch memory.
    std::vector<Link> found_;
    ByteRun run_;
    TokenMask fewer_;
    std::vector<int> elsewhere_;
    std::vector<Place> open_;
    std::vector<State> states_;
};

// Finds the state that each token of a vocabulary leads to, from one state of a recognizer. Tokens
// that lead to the same state are grouped.
class TokenReach {
public:
    using State = Recognizer::State;

    TokenReach(Recognizer& recognizer, const TokenTrie& trie, TokenWalk& walk)
        : recognizer_(&recognizer), trie_(&trie), walk_(&walk) {}

    // Tokens that lead to the same state. If `words` is null: the single token `token`. Else: all
    // tokens of `words` with more than `above` and at most `bytes` bytes.
    struct Reached {
        State state;
        int token;  // one of the tokens
        const TokenMask* words = nullptr;
        int bytes = 0, above = 0;
    };
    // Calls visit for every legal token, in such groups; several groups may have the same state.
    // visit must not call this object. Afterwards exits_ has the trie nodes at which an abstraction
    // knows too little.
    void each(State state, const std::function<void(const Reached&)>& visit);

    // The tokens that an abstraction decides, grouped by the abstracted state after them, and the
    // trie nodes at which the abstraction knows too little (exits). Valid until forget().
    struct Group {
        State state;
        std::span<const std::int32_t> tokens;  // the tokens, if they are few
        const TokenMask* mask;                 // the tokens, if they are many; else null
    };
    struct Groups {
        std::vector<Group> groups;
        std::vector<std::int32_t> listed, exits;  // listed: the tokens of all small groups
    };
    const Groups& groups(State state);

    std::size_t memory() const {
        return group_index_.memory() + groups_memory_ +
               masks_.size() * (static_cast<std::size_t>(trie_->vocabulary()) / 8 + 40);
    }
    void forget() { group_index_.clear(), groups_.clear(), groups_memory_ = 0, masks_.clear(); }

private:
    // A group that is being made.
    struct Draft {
        State state = Recognizer::dead;
        std::vector<std::int32_t> tokens;
        TokenMask* mask = nullptr;
    };

    void add_to_drafts(const Reached& reached);

    Recognizer* recognizer_;
    const TokenTrie* trie_;
    TokenWalk* walk_;
    WordMap group_index_;  // by the abstracted state
    std::deque<Groups> groups_;
    std::size_t groups_memory_ = 0;
    std::deque<TokenMask> masks_;
    // Scratch memory.
    std::vector<std::int32_t> exits_;
    std::vector<Draft> drafts_;  // the first drafted_ are in use
    std::size_t drafted_ = 0;
    WordMap draft_index_;  // by state
};

class MaskCache {
public:
    using State = Recognizer::State;

    struct Entry {
        const TokenMask& mask;  // with the end-of-text token iff the text may end here
        int max_to_end;         // an upper bound of to_end after any of these tokens
    };

    // Subtrees of at most `small` nodes are walked node by node. Throws Error if a pointer is null.
    MaskCache(std::shared_ptr<Recognizer> recognizer, std::shared_ptr<const TokenTrie> trie,
              int small = 256)
        : recognizer_(std::move(recognizer)),
          trie_(std::move(trie)),
          walk_(*checked(recognizer_), *checked(trie_), small),
          reached_(*recognizer_, *trie_, walk_),
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
        return bound_ ? bound_->hidden(state)
                      : to_end(state) - to_end(recognizer_->abstraction(state));
    }
    // Null: the bound is closing_bytes.
    TokensToEnd* bound() { return bound_.get(); }

    Recognizer& recognizer() { return *recognizer_; }
    const TokenTrie& trie() const { return *trie_; }
    std::size_t memory() const {
        const std::size_t mask = static_cast<std::size_t>(trie_->vocabulary()) / 8 + 200;
        return (state_masks_.size() + partial_masks_.size()) * mask + entries_.memory() +
               cached_.capacity() * sizeof(Entry) + partial_index_.memory() + walk_.memory() +
               reached_.memory() + (bound_ ? bound_->memory() : 0);
    }
    // Drops everything that is known about states.
    void forget() {
        entries_.clear(), cached_.clear(), state_masks_.clear(), used_ = 0;
        partial_index_.clear(), partial_masks_.clear(), last_ = {};
        walk_.forget(), reached_.forget();
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
        int max_to_end = 0;
        // Trie nodes at which the abstraction knows too little.
        std::vector<std::int32_t> exits;
    };
    using Place = TokenWalk::Place;
    static constexpr std::size_t max_entries = 4096;  // 6 KB each at V = 50,257

    const PartialMask& abstraction(State abstracted);
    PartialMask& copy_for_state(const PartialMask& like);
    bool decide(Place place, PartialMask& o);
    void decide_below(Place place, PartialMask& o);

    std::shared_ptr<Recognizer> recognizer_;
    std::shared_ptr<const TokenTrie> trie_;
    TokenWalk walk_;
    TokenReach reached_;
    std::unique_ptr<TokensToEnd> bound_;
    WordMap entries_;            // by state: its index in cached_
    std::vector<Entry> cached_;  // the mask is mostly that of the abstraction, else the state's own
    std::deque<PartialMask> state_masks_;  // the first used_ are in use; the others can be reused
    std::size_t used_ = 0;
    WordMap partial_index_;  // by the abstracted state
    std::deque<PartialMask> partial_masks_;
    struct {
        State state = Recognizer::dead;
        int to_end = 0;
        bool escaped = false;
    } last_;  // the state that decide() looked at last
};

}  // namespace tbt
