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
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "chapters/13_json_grammar/flat_map.hpp"
#include "chapters/13_json_grammar/token_costs.hpp"
#include "chapters/14_grammar/act_orders.hpp"
#include "chapters/14_grammar/act_ways.hpp"
#include "chapters/14_grammar/byte_groups.hpp"
#include "chapters/14_grammar/exit_tables.hpp"
#include "chapters/14_grammar/grammar_machine.hpp"
#include "chapters/14_grammar/token_bound.hpp"
#include "chapters/14_grammar/token_step.hpp"
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
               rests_.memory() + ways_.memory() + behind_.memory() + settled_.capacity() +
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
    using Slots = std::span<const Place>;

    ExitList of_rule(int rule, int trie);
    ExitList of_place(int node, int note, int trie);
    ExitList of_stretch(int node, int note, int act, int trie);
    void object(const Step& from, Exits& exits);
    ExitList of_way(const Step& between, int way);
    void follow(ExitList stretch, const Step& between, int way, Exits& exits);
    ExitList from_root(const Step& from, const Goal& goal);
    const Exits& explore(const Step& from, const Goal& goal, ExitDraft& draft);
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
    OneExitDraft::Pile drafts_;
    TokenBound bound_;
    ByteGroups groups_;
    ExitCutter cutter_;
    AllTrieWords words_;
    std::vector<char> flat_;  // rules that cannot come to themselves
    ExitTable<std::uint64_t, WordHash> rules_;
    ExitTable<Step, TokenStepHash> places_;
    // Those without a note last when notes are forgotten.
    ExitTable<Stretch, StretchHash> lasting_, stretches_;
    ActWays ways_;  // of notebooks
    ExitTable<Stretch, StretchHash> rests_;
    std::map<int, ActOrders> orders_;  // by notebook
    WordMap behind_;
    std::vector<char> settled_;  // continuations
    enum Known : char { unknown, no, yes };
    std::vector<Known> hollow_;
    bool gave_up_ = false;
};

}  // namespace tbt
