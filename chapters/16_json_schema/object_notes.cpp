#include "chapters/16_json_schema/object_notes.hpp"

#include <algorithm>

#include "chapters/14_grammar/plus.hpp"
#include "lib/index.hpp"

namespace tbt {

ObjectNotes::ObjectNotes(ObjectShape shape, Blanks blanks, Spelling spelling)
    : shape_(std::move(shape)),
      blanks_(std::move(blanks)),
      planner_(shape_, 4 + count(blanks_.comma) + count(blanks_.colon), spelling),
      graph_(shape_, blanks_, spelling, planner_),
      memory_(shape_, planner_),
      outline_(shape_, planner_, graph_, memory_),
      tokens_(*this, {shape_, blanks_, spelling}) {}

int ObjectNotes::add_nodes(Grammar& grammar, int index) {
    graph_.build(grammar, index);
    for (ObjectShape::KeyClass& c : shape_.classes) c.keys = {};  // the graph has them
    return graph_.first();
}

void ObjectNotes::forget() { memory_.forget(), outline_.forget(); }

std::vector<int> ObjectNotes::rules() const {
    std::vector<int> rules;
    for (int a = 1; a <= planner_.acts(); ++a) rules.push_back(planner_.act(a).rule);
    return rules;
}

// While the costs of rules are worked out, plans are made for costs that change.
void ObjectNotes::look_at_rules(const Grammar& grammar) {
    Acts costs;
    for (int a = 1; a <= planner_.acts(); ++a)
        costs.push_back(grammar.rule(planner_.act(a).rule).cost);
    if (costs == rule_costs_) return;
    rule_costs_ = std::move(costs);
    memory_.plan_anew();
}

// A value and everything behind it, without the brace.
int ObjectNotes::behind_act(const Grammar& grammar, int members, int number) {
    const ObjectPlanner::Act& act = planner_.act(number);
    const int value = grammar.rule(act.rule).cost;
    if (value >= Grammar::never) return Grammar::never;
    if (!planner_.simple())
        return plus(value, memory_.rest(grammar, memory_.behind(members, number), false).bytes);
    // One of those that are required less: no need to look at them all once more.
    const auto required = [&](int a) {
        const int m = planner_.act(a).member;
        return m >= 0 && at(shape_.members, m).required;
    };
    const ObjectWay& now = memory_.rest(grammar, members, false);
    if (now.acts.empty()) return plus(value, now.bytes);
    if (!required(now.acts[0])) return value;
    return plus(value, now.bytes - (required(number) ? planner_.bytes(grammar, number) : 0));
}

// The least of them, and the first that has it.
int ObjectNotes::best_of(const Grammar& grammar, int members, const Acts& acts, int& best) {
    int least = Grammar::never;
    for (const int a : acts) {
        if (!memory_.possible(members, a)) continue;
        const int cost = behind_act(grammar, members, a);
        if (cost < least) least = cost, best = a;
    }
    return least;
}

int ObjectNotes::best_below(const Grammar& grammar, int members, int branch, int& best) {
    const ObjectGraph::Branch& b = graph_.branch(branch);
    int least = Grammar::never;
    for (int i = b.low; i < b.high; ++i) {
        const int m = graph_.member(i);
        int act = 0;
        const int cost = plus(planner_.key_bytes(m) - b.bytes,
                              best_of(grammar, members, planner_.of_member(m), act));
        if (cost < least || (cost == least && act < best)) least = cost, best = act;
    }
    return least;
}

// In a key at a branch of the tree, without the quote; best: the act that would come.
int ObjectNotes::in_key(const Grammar& grammar, const ObjectMemory::Note& note, int branch,
                        int& best) {
    int least = best_below(grammar, note.members, branch, best);
    for (int c = 0; branch == 0 && c < count(shape_.classes); ++c) {
        int act = 0;
        const int cost =
            plus(bytes_to_end(grammar, graph_, memory_, graph_.class_start(c), note.others, 0),
                 best_of(grammar, note.members, planner_.of_class(c), act));
        if (cost < least) least = cost, best = act;
    }
    return least;
}

int ObjectNotes::cost(const Grammar& grammar, int node, int id) {
    const ObjectGraph::Position& p = graph_.at(node);
    if (is_forgotten(id)) return p.where == Where::of_class ? p.to_end + 1 : 0;
    if (!grammar.finished()) look_at_rules(grammar);
    const ObjectMemory::Note n = memory_.note(id);
    const int brace = 1 + count(blanks_.close), colon = 2 + count(blanks_.colon),
              comma = 1 + count(blanks_.comma);  // counted with a member, and there already
    const auto rest = [&](bool some) { return memory_.rest(grammar, n.members, some).bytes; };
    int best = 0;
    switch (p.where) {
        case Where::first:
            if (memory_.complete(n.members)) return 1;
            return plus(rest(false), brace - comma + count(blanks_.open));
        case Where::after:
            return plus(rest(false), brace);
        case Where::key:
            if (n.others != 0)
                return plus(in_key(grammar, n, 0, best), 1 + colon + brace + p.extra);
            return plus(rest(true), brace - comma + p.extra);
        case Where::tree:
            return plus(in_key(grammar, n, p.index, best), colon + brace + p.extra);
        case Where::of_class:
            return plus(
                bytes_to_end(grammar, graph_, memory_, node, n.others, n.text),
                plus(best_of(grammar, n.members, planner_.of_class(p.index), best), colon + brace));
        case Where::colon:
            return plus(best_of(grammar, n.members, planner_.of_member(p.index), best),
                        p.extra + brace);
        case Where::class_colon:
            if (memory_.stands(n.others, n.text)) return Grammar::never;
            return plus(best_of(grammar, n.members, planner_.of_class(p.index), best),
                        p.extra + brace);
        default:
            return memory_.complete(n.members) ? p.extra : Grammar::never;
    }
}

// Is the place in the key of that member, or before it?
bool ObjectNotes::on_the_way(int node, int act, int note) const {
    const ObjectGraph::Position& p = graph_.at(node);
    if (p.where == Where::first || p.where == Where::after) return true;
    const ObjectPlanner::Act& a = planner_.act(act);
    switch (p.where) {
        case Where::key:
            return true;
        case Where::tree: {
            if (a.member < 0) return p.index == 0 && p.extra == 0;
            const ObjectGraph::Branch& b = graph_.branch(p.index);
            return b.low <= graph_.place(a.member) && graph_.place(a.member) < b.high;
        }
        case Where::colon:
            return p.index == a.member;
        case Where::of_class:
            return p.index == a.key_class;
        case Where::class_colon:
            return p.index == a.key_class &&
                   (note == forgotten ||
                    !memory_.stands(memory_.note(note).others, memory_.note(note).text));
        default:
            return false;
    }
}

// In a key, one of the members below it is enough; which is cheapest does not matter.
bool ObjectNotes::alive(const Grammar& grammar, int node, int id) {
    const ObjectGraph::Position& p = graph_.at(node);
    if (p.where == Where::tree && p.index > 0 && p.extra < Grammar::never && outline_.narrow()) {
        const ObjectGraph::Branch& b = graph_.branch(p.index);
        const int members = memory_.note(id).members;
        for (int i = b.low; i < b.high; ++i) {
            const int act = at(planner_.of_member(graph_.member(i)), 0);
            if (!memory_.gone(members, graph_.member(i)) &&
                grammar.rule(planner_.act(act).rule).cost < Grammar::never)
                return true;
        }
        return false;
    }
    return cost(grammar, node, id) < Grammar::never;
}

// What is left of the members, with the brace. Else nothing but a key that nobody names is
// forgotten, and what is left behind it never costs much more than all of it.
int ObjectNotes::forgotten_tokens(const TokenBound& bound, int node, int id) {
    if (outline_.narrow()) return tokens_.left(bound, id);
    return outlined(node, id) == id ? 0 : plus(cost(bound.grammar(), node, id), 64);
}

}  // namespace tbt
