// Finds the state that each token of a vocabulary leads to, from one state of a recognizer. Tokens
// that lead to the same state are grouped.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "lib/grammar/arena.hpp"
#include "lib/grammar/flat_map.hpp"
#include "lib/grammar/recognizer/recognizer.hpp"
#include "lib/grammar/tokens/token_mask.hpp"
#include "lib/grammar/tokens/token_runs.hpp"
#include "lib/grammar/tokens/token_trie.hpp"

namespace tbt {

class TokenReach {
public:
    using State = Recognizer::State;

    // Subtrees of at most `small` nodes are walked node by node.
    TokenReach(Recognizer& recognizer, const TokenTrie& trie, TokenRuns& runs, int small)
        : recognizer_(&recognizer), trie_(&trie), runs_(&runs), small_(small) {}

    // Tokens that lead to the same state. If `words` is null: the single token `token`. Else: all
    // tokens of `words` with more than `above` and at most `bytes` bytes.
    struct Reached {
        State state;
        int token;  // one of the tokens
        const TokenMask* words = nullptr;
        int bytes = 0, above = 0;
        std::span<const std::int32_t> listed = {};  // these tokens, if they are few; else empty
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
        std::span<const Group> groups;
        std::span<const std::int32_t> exits;
    };
    Groups groups(State state);
    // Calls visit(token, state after it) for the legal tokens below a trie node. `state` is the
    // state at that node; node −1 is the root.
    void below(int node, State state, const std::function<void(int, State)>& visit);

    // Each state that one more token can lead to, with one token that leads there.
    struct Step {
        State state;
        int token;
    };
    std::vector<Step> steps(State state);

    std::size_t memory() const {
        return group_index_.memory() + groups_.capacity() * sizeof(Groups) + lists_.memory() +
               masks_.size() * (static_cast<std::size_t>(trie_->vocabulary()) / 8 + 40);
    }
    void forget() { group_index_.clear(), groups_.clear(), lists_.clear(), masks_.clear(); }

private:
    struct Place {
        int node;
        State state;
    };
    // A group that is being made.
    struct Draft {
        State state = Recognizer::dead;
        std::vector<std::int32_t> tokens;
        TokenMask* mask = nullptr;
    };

    void add_to_drafts(const Reached& reached);

    Recognizer* recognizer_;
    const TokenTrie* trie_;
    TokenRuns* runs_;
    int small_;
    WordMap group_index_;  // by the abstracted state
    std::vector<Groups> groups_;
    Arena lists_;
    std::deque<TokenMask> masks_;
    // Scratch memory.
    std::vector<std::int32_t> exits_;
    std::vector<Place> open_;
    std::vector<State> states_;
    std::vector<Draft> drafts_;  // the first drafted_ are in use
    std::size_t drafted_ = 0;
    WordMap draft_index_;  // by state
    std::vector<Group> made_;
};

}  // namespace tbt
