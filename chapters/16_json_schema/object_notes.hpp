// A JSON object whose members come in any order: one tree of all keys, and a note of the members
// that were written. 2^n sets of members may have been written; only notes that a text comes to
// are ever made, and the tree is the same for all of them.
#pragma once

#include <cstdint>
#include <vector>

#include "chapters/14_grammar/notebook.hpp"
#include "chapters/15_regular/spelling.hpp"
#include "chapters/16_json_schema/object_graph.hpp"
#include "chapters/16_json_schema/object_memory.hpp"
#include "chapters/16_json_schema/object_outline.hpp"
#include "chapters/16_json_schema/object_tokens.hpp"
#include "chapters/16_json_schema/unnamed_key.hpp"

namespace tbt {

class ObjectNotes : public Notebook {
public:
    using Acts = std::vector<int>;

    ObjectNotes(ObjectShape shape, Blanks blanks, Spelling spelling);
    ObjectNotes(const ObjectNotes&) = delete;

    // Adds the nodes behind the opening brace; returns the first. `index`: this notebook's, in the
    // grammar.
    int add_nodes(Grammar& grammar, int index);

    int entry() const override { return graph_.first(); }
    int first_note() override { return ObjectMemory::first_note; }
    int read(int note, std::uint8_t byte) override { return memory_.read(note, byte); }
    int called(int note, int act) override { return outline_.called(note, act); }
    void keep_like(int note, int byte, int& low, int& high) const override {
        memory_.keep_like(note, byte, low, high);
    }
    int cost(const Grammar& grammar, int node, int note) override;
    bool alive(const Grammar& grammar, int node, int note) override;
    int tokens(const TokenBound& bound, int node, int note) override {
        return is_forgotten(note) ? cost(bound.grammar(), node, note)
                                  : tokens_.of(bound, node, note);
    }
    std::vector<int> rules() const override;
    int outlined(int node, int note) override { return outline_.outlined(node, note); }
    int kept(int node, int note) override { return outline_.kept(node, note); }
    bool is_forgotten(int note) const override { return outline_.is_forgotten(note); }
    int restored(int node, int note, int was) override {
        return outline_.restored(node, note, was);
    }
    int forgotten_tokens(const TokenBound& bound, int node, int note) override;
    std::size_t memory() const override { return memory_.memory() + outline_.memory(); }
    void forget() override;

private:
    friend class ObjectTokens;
    using Where = ObjectGraph::Where;

    bool on_the_way(int node, int act, int note) const;
    void look_at_rules(const Grammar& grammar);
    int behind_act(const Grammar& grammar, int members, int act);
    int best_of(const Grammar& grammar, int members, const Acts& acts, int& best);
    int best_below(const Grammar& grammar, int members, int branch, int& best);
    int in_key(const Grammar& grammar, const ObjectMemory::Note& note, int branch, int& best);

    ObjectShape shape_;
    Blanks blanks_;
    ObjectPlanner planner_;
    ObjectGraph graph_;
    ObjectMemory memory_;
    ObjectOutline outline_;
    ObjectTokens tokens_;
    Acts rule_costs_;
};

}  // namespace tbt
