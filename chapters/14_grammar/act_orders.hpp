// Acts that may come in any order, such as the members of an object: the order that takes the
// fewest tokens.
//
// A token may end one member and begin the next one, so the order counts: `"","` is shorter where
// strings stand together. n members have n! orders, but mostly they are of few kinds: two acts are
// of one kind if their stretches, from each node of the vocabulary's tree at which one may be
// begun, lead to the same nodes for the same tokens and a number more. So it is enough to know how
// many of each kind are left (act_rests.hpp).
#pragma once

#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "chapters/14_grammar/act_rests.hpp"
#include "chapters/14_grammar/grammar.hpp"
#include "chapters/14_grammar/token_exits.hpp"
#include "chapters/14_grammar/token_step.hpp"

namespace tbt {

class ActOrders {
public:
    // The exits of the stretch of an act.
    using Stretch = std::function<std::span<const TokenExit>(const TokenStep& from, int act)>;
    ActOrders(Grammar& grammar, int notebook, ExitCutter& cutter, Stretch stretch)
        : grammar_(&grammar),
          notes_(&grammar.notebook(notebook)),
          cutter_(&cutter),
          of_step_(std::move(stretch)),
          rests_(cutter) {}

    // With what the object can be left from here, in the best order. false: acts come in no free
    // order, or are of too many kinds to tell.
    bool find(const TokenStep& from, TokenExits& exits);
    // false: acts that were left aside might have been shorter.
    bool exact() const { return exact_; }

    std::size_t memory() const { return rests_.memory(); }

private:
    static constexpr std::size_t most_nodes = 40, most_acts = 200;
    struct NodeClass {
        int number = 0, tokens = 0;  // more than the class
    };
    using Row = std::vector<std::pair<int, int>>;  // where to, for how many tokens
    struct Act {
        int kind = -1, tokens = 0;  // more than the kind
    };

    // From behind another act.
    std::span<const TokenExit> stretch(int act, int trie) {
        return of_step_({notes_->behind_calls(), Notebook::forgotten, trie}, act);
    }
    static Notebook::Choice without(Notebook::Choice all, int act);
    bool add_rest(const Notebook::Choice& left, const TokenExit& from, bool further,
                  TokenExits& exits);
    bool ask(const Notebook::Choice& choice, int& tokens);
    bool rest_of(const Notebook::Choice& left, int trie, int& tokens, ActRests::Rest& rest);
    bool never_better(int other, const Notebook::Choice& left);
    void learn();
    Row row(int act, std::size_t node, const std::vector<bool>& good);
    void find_classes(const std::vector<bool>& good);
    void find_kinds();
    std::vector<bool> nodes_with_an_end();

    Grammar* grammar_;
    Notebook* notes_;
    ExitCutter* cutter_;
    Stretch of_step_;
    bool learnt_ = false, too_many_ = false, exact_ = true;
    std::vector<int> nodes_;
    std::map<int, int> places_;  // of nodes in nodes_
    std::map<int, Act> acts_;
    std::vector<NodeClass> class_;  // by place
    ActRests rests_;
};

}  // namespace tbt
