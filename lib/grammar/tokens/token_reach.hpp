// Where tokens lead: the states of a recognizer after each token of a vocabulary. Tokens that lead
// to the same state come together.
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

    // Parts of the tree with fewer nodes than `small` are walked node by node.
    TokenReach(Recognizer& recognizer, const TokenTrie& trie, TokenRuns& runs, int small)
        : recognizer_(&recognizer), trie_(&trie), runs_(&runs), small_(small) {}

    // Tokens that lead to the same state: a single one, or (words not null)
    // all in `words` with more than `above` bytes and at most so many; few of them are listed.
    struct Reached {
        State state;
        int token;  // one of them
        const TokenMask* words = nullptr;
        int bytes = 0, above = 0;
        std::span<const std::int32_t> listed = {};
    };
    // Shows every token that the recognizer survives, in such groups;
    // a state may come up several times. visit must not ask for anything here.
    // Afterwards exits_ are the nodes after which an abstraction would have to know more.
    void each(State state, const std::function<void(const Reached&)>& visit);

    // The tokens that an abstraction decides, by the abstracted state after them; and the nodes of
    // the tree after which it knows too little. All of it stays where it is until forget().
    struct Group {
        State state;
        std::span<const std::int32_t> tokens;  // few of them are listed
        const TokenMask* mask;                 // many are here; null: all are listed
    };
    struct Groups {
        std::span<const Group> groups;
        std::span<const std::int32_t> exits;
    };
    Groups groups(State state);
    // The tokens below a node of the tree (−1: all), each with the state after it.
    void below(int node, State state, const std::function<void(int, State)>& visit);

    // The states after one more token, each once, and a token that leads there.
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
    // Of the groups that are being made.
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
    // Scratch.
    std::vector<std::int32_t> exits_;
    std::vector<Place> open_;
    std::vector<State> states_;
    std::vector<Draft> drafts_;  // the first drafted_ are in use
    std::size_t drafted_ = 0;
    WordMap draft_index_;  // by state
    std::vector<Group> made_;
};

}  // namespace tbt
