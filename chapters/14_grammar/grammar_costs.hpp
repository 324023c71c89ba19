// The fewest tokens to the end of a text under a grammar, without a search.
//
// Tokens do not end where rules end: `"}` closes a string and an object at once. So a rule is
// entered and left inside a token, at a node of the vocabulary's tree, and its table says for each
// node on entering with which nodes it can be left, for how many tokens:
//
//   exits(rule, u) = {(v, n)}: n tokens were finished, and v is what was begun of the next one
//
// Tables are made once for a grammar. What is open around them is a sum that is kept for each
// continuation. A few ways are left out, by rules that look at one edge only; so whoever goes one
// token along a shortest way finds the rest of it in the tables, one token shorter. That is the
// promise of closing.hpp.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "chapters/13_json_grammar/arena.hpp"
#include "chapters/13_json_grammar/flat_map.hpp"
#include "chapters/13_json_grammar/token_costs.hpp"
#include "chapters/14_grammar/act_orders.hpp"
#include "chapters/14_grammar/byte_groups.hpp"
#include "chapters/14_grammar/grammar_machine.hpp"
#include "chapters/14_grammar/token_bound.hpp"
#include "chapters/14_grammar/token_exits.hpp"
#include "chapters/14_grammar/token_step.hpp"
#include "chapters/14_grammar/token_walk.hpp"
#include "chapters/14_grammar/trie_words.hpp"

namespace tbt {

class GrammarCosts : public TokenCosts {
public:
    GrammarCosts(GrammarMachine& machine, const TokenTrie& trie);

    int tokens(State state) override;
    bool exact() const override {
        bool all = !gave_up_;
        for (int i = 0; i < machine_->grammar().notebooks(); ++i)
            all = all && !machine_->grammar().notebook(i).left_ways_out();
        for (const auto& [notebook, orders] : orders_) all = all && orders.exact();
        return all;
    }
    int bound(State state) override { return bound_.of(state); }
    int hidden_bound(State state) override { return bound_.hidden(state); }
    int tokens_behind(State state, State reached, int enough) override;
    int bound_behind(State state, State reached) override;
    std::size_t memory() const override {
        return rules_.memory() + places_.memory() + lasting_.memory() + stretches_.memory() +
               rests_.memory() + way_index_.memory() + behind_.memory() + settled_.capacity() +
               hollow_.capacity() + bound_.memory() + orders_memory();
    }
    void forget() override {
        places_.clear(), stretches_.clear(), rests_.clear(), behind_.clear(), settled_.clear();
        hollow_.clear(), bound_.forget(), orders_.clear();
    }

private:
    static constexpr int root = TokenExit::root, most_bytes = 100'000, most_shared = 256;
    using Exit = TokenExit;
    using Exits = TokenExits;
    using ExitList = std::span<const Exit>;
    using Place = GrammarMachine::Place;
    using Step = TokenStep;
    // Where one is going: to the end of a rule, or behind an act of a notebook.
    struct Goal {
        int rule = -1;  // it was entered here; −1: somewhere inside
        int notebook = -1;
        int act = 0;
    };
    struct Stretch {
        Step from;
        int act;
        bool operator==(const Stretch&) const = default;
    };
    struct StretchHash {
        std::uint64_t operator()(const Stretch& s) const {
            return mixed(TokenStepHash()(s.from), static_cast<std::uint32_t>(s.act));
        }
    };
    // Exits by a key, which stay where they are.
    template <class Key, class Hash>
    class Table {
    public:
        const ExitList* find(const Key& key) const {
            const int at = index_.find(key);
            return at < 0 ? nullptr : &lists_[static_cast<std::size_t>(at)];
        }
        ExitList add(const Key& key, const Exits& exits) {
            index_.set(key, static_cast<int>(lists_.size()));
            lists_.push_back(exits_.keep(exits));
            return lists_.back();
        }
        std::size_t memory() const {
            return lists_.capacity() * sizeof(ExitList) + exits_.memory() + index_.memory();
        }
        void clear() { index_.clear(), lists_.clear(), exits_.clear(); }

    private:
        FlatMap<Key, Hash> index_;
        std::vector<ExitList> lists_;
        Arena exits_;
    };
    // What one table is made with; making it may ask for others.
    struct Draft {
        TokenWalk::Memory walk;
        Exits exits;
        WordMap places;  // of nodes in exits: there may be thousands
    };
    class OneDraft {
    public:
        explicit OneDraft(GrammarCosts& costs) : costs_(&costs) {
            if (costs.drafted_ == costs.drafts_.size()) costs.drafts_.emplace_back();
            draft_ = &costs.drafts_[costs.drafted_++];
            draft_->exits.clear();
        }
        OneDraft(const OneDraft&) = delete;
        ~OneDraft() { --costs_->drafted_; }
        Draft* operator->() { return draft_; }
        Draft& operator*() { return *draft_; }

    private:
        GrammarCosts* costs_;
        Draft* draft_;
    };
    using Slots = std::span<const Place>;

    ExitList of_rule(int rule, int trie);
    ExitList of_place(int node, int note, int trie);
    ExitList of_stretch(int node, int note, int act, int trie);
    void object(const Step& from, Exits& exits);
    int way_of(const std::vector<int>& acts);
    ExitList of_way(const Step& between, int way);
    void follow(ExitList stretch, const Step& between, int way, Exits& exits);
    ExitList from_root(const Step& from, const Goal& goal);
    const Exits& explore(const Step& from, const Goal& goal, Draft& draft);
    int from_place(const Place& place, int trie);
    int behind(int continuation, int trie);
    Place meant(Place place, Slots slots) const;
    bool hollow(int continuation);
    bool within(Place place, int enough);
    int from_meant(Place place, int trie, Slots slots);
    int bound_meant(Place place, Slots slots);
    ActOrders& orders_of(int node) {
        const int notebook = machine_->grammar().node(node).notebook;
        const auto stretch = [this](const Step& from, int act) {
            return of_stretch(from.node, from.note, act, from.trie);
        };
        return orders_.try_emplace(notebook, machine_->grammar(), notebook, cutter_, stretch)
            .first->second;
    }
    std::size_t orders_memory() const {
        std::size_t bytes = 0;
        for (const auto& [notebook, orders] : orders_) bytes += orders.memory();
        return bytes;
    }
    // A text of so many bytes that tables would take too long: the bound says it.
    bool too_far(State state) {
        const bool far = machine_->closing_bytes(state) > most_bytes;
        gave_up_ = gave_up_ || far;
        return far;
    }
    int token_at(int trie) const {
        return trie == root ? -1 : trie_->nodes()[static_cast<std::size_t>(trie)].token;
    }

    GrammarMachine* machine_;
    const TokenTrie* trie_;
    std::deque<Draft> drafts_;  // the first drafted_ are in use
    std::size_t drafted_ = 0;
    AllTrieWords words_;
    TokenBound bound_;
    ByteGroups groups_;
    ExitCutter cutter_;
    std::vector<char> flat_;  // rules that cannot come to themselves
    Table<std::uint64_t, WordHash> rules_;
    Table<Step, TokenStepHash> places_;
    // Those without a note last when notes are forgotten.
    Table<Stretch, StretchHash> lasting_, stretches_;
    // Ways of a notebook: an act and the way that is left behind it, from whatever place.
    struct Way {
        int act, rest;
    };
    std::vector<Way> ways_;
    WordMap way_index_;
    Table<Stretch, StretchHash> rests_;
    std::map<int, ActOrders> orders_;  // by notebook
    WordMap behind_;
    std::vector<char> settled_;  // continuations
    enum Known : char { unknown, no, yes };
    std::vector<Known> hollow_;
    bool gave_up_ = false;
};

}  // namespace tbt
