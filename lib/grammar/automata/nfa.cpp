// From regular expressions to deterministic automata, by way of an NFA.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/grammar/automata/dfa.hpp"

namespace tbt {

namespace {

using Kind = Expression::Kind;
constexpr int max_nfa_nodes = 500000;

// The automaton of a look-around: of what must follow, or of the text up to here.
struct Look {
    explicit Look(const Expression& e) : back(e.kind >= Kind::before) {
        const Expression all = Expression::repeat(Expression::characters(CodePointSet::all()), 0,
                                                  Expression::unlimited);
        dfa = Dfa::of(Expression::sequence({back ? all : e.parts[0], back ? e.parts[0] : all}));
        if (e.kind == Kind::not_ahead || e.kind == Kind::not_before) dfa = complement(dfa);
        // Decided, unless a character or the end of the text leads to what is not.
        const auto everything = CodePointSet::all().count();
        decided.assign(dfa.states.size(), true);
        for (bool changed = true; std::exchange(changed, false);) {
            for (std::size_t s = 0; s < decided.size(); ++s) {
                std::int64_t on = 0;
                for (const Dfa::Edge& edge : dfa.states[s].edges)
                    on += decided[index(edge.to)] ? edge.on.count() : 0;
                if (decided[s] && (!dfa.states[s].accepting || on < everything))
                    decided[s] = false, changed = true;
            }
        }
    }
    bool back;
    Dfa dfa;
    std::vector<bool> decided;  // the states from which every text is accepted
    int elsewhere = -1;         // the look-around that holds instead where the text does not begin
};

// The expression where the text does not begin: there `^` matches nothing.
Expression without_begin(Expression e) {
    if (e.kind == Kind::begin) return Expression::characters({});
    for (Expression& part : e.parts) part = without_begin(std::move(part));
    return e;
}
bool has_begin(const Expression& e) {
    return e.kind == Kind::begin || std::any_of(e.parts.begin(), e.parts.end(), has_begin);
}

// Step 1: an NFA with ε-edges, which read no character [Thompson 1968]. Dfa::of is step 2.
//
// A look-around is a condition on an ε-edge. What follows is not known yet: whoever takes the edge
// owes it, and runs its automaton on the rest of the text beside his own way. What came before is
// known: its automaton runs from the beginning, as one more place of each set of places.
struct Nfa {
    struct Node {
        std::vector<std::pair<CodePointSet, int>> edges;
        // Targets of ε-edges: taken anywhere, or only at the beginning or the end of the text.
        std::vector<int> epsilon, at_begin, at_end;
        std::vector<std::pair<int, int>> looks;  // the number of a look-around, and the target
        bool universal = false;                  // every text is accepted from here
    };
    std::vector<Node> nodes;
    int final = -1;
    std::vector<int> seen;  // by place: the last round of close() that came there
    int round = 0;
    std::vector<Look> looks;
    std::map<const Expression*, int> look_numbers;

    // Look-arounds that run, with their states.
    using Owed = std::vector<std::pair<int, int>>;
    // A place without anything owed has the number of its node, the others follow. Node −1: the
    // automaton of a look-behind.
    std::vector<std::pair<int, Owed>> places;
    std::map<std::pair<int, Owed>, int> place_numbers;

    int place(int node, Owed owed) {
        if (owed.empty()) return node;
        const auto [entry, added] =
            place_numbers.try_emplace({node, std::move(owed)}, count(nodes) + count(places));
        if (added) places.push_back(entry->first);
        return entry->second;
    }
    int node_of(int place) const {
        return place < count(nodes) ? place : places[index(place - count(nodes))].first;
    }
    Owed owed_of(int place) const {
        return place < count(nodes) ? Owed() : places[index(place - count(nodes))].second;
    }
    // Adds a state of a look-ahead to what is owed.
    void owe(Owed& owed, int look, int state) {
        if (looks[index(look)].decided[index(state)]) return;
        const std::pair<int, int> one(look, state);
        const auto at = std::lower_bound(owed.begin(), owed.end(), one);
        if (at == owed.end() || *at != one) owed.insert(at, one);
    }
    // Is all that is owed accepted, at the end of the text?
    bool paid(int place) const {
        const Owed owed = owed_of(place);
        return std::all_of(owed.begin(), owed.end(), [&](const auto& one) {
            return looks[index(one.first)].dfa.states[index(one.second)].accepting;
        });
    }

    int add() {
        if (nodes.size() >= max_nfa_nodes)
            throw TooLarge("regular expression: too large; use smaller repetition counts");
        nodes.emplace_back();
        return count(nodes) - 1;
    }
    Node& at(int n) { return nodes[index(n)]; }

    int add(const Expression& e, int from) {
        switch (e.kind) {
            case Kind::characters:
                return step(from, e.set);
            case Kind::text:
                for (const std::int32_t c : code_points_of(e.text, "text"))
                    from = step(from, CodePointSet(c, c));
                return from;
            case Kind::sequence:
                for (const Expression& part : e.parts) from = add(part, from);
                return from;
            case Kind::choice: {
                const int out = add();
                for (const Expression& part : e.parts) {
                    const int in = add();
                    at(from).epsilon.push_back(in);
                    const int end = add(part, in);
                    at(end).epsilon.push_back(out);
                }
                return out;
            }
            case Kind::repeat:
                return repeat(e, from);
            case Kind::begin:
            case Kind::end: {
                const int out = add();
                (e.kind == Kind::begin ? at(from).at_begin : at(from).at_end).push_back(out);
                return out;
            }
            case Kind::ahead:
            case Kind::not_ahead:
            case Kind::before:
            case Kind::not_before: {
                const auto [number, added] = look_numbers.try_emplace(&e, count(looks));
                if (added) looks.emplace_back(e), looks.back().elsewhere = number->second;
                if (added && !looks.back().back && has_begin(e)) {
                    looks.back().elsewhere = count(looks);
                    looks.emplace_back(without_begin(e));
                }
                const int out = add();
                at(from).looks.emplace_back(number->second, out);
                return out;
            }
            default:
                throw Error("automaton: a regular expression cannot refer to grammar rules");
        }
    }

    int step(int from, const CodePointSet& set) {
        const int to = add();
        at(from).edges.emplace_back(set, to);
        return to;
    }

    int repeat(const Expression& e, int from) {
        for (int i = 0; i < e.low; ++i) from = add(e.parts[0], from);
        const int out = add();
        if (e.high == Expression::unlimited) {
            const int loop = add();
            at(from).epsilon.push_back(loop);
            const int end = add(e.parts[0], loop);
            at(end).epsilon.push_back(loop);
            at(loop).epsilon.push_back(out);
            return out;
        }
        for (int i = e.low; i < e.high; ++i) {
            at(from).epsilon.push_back(out);
            from = add(e.parts[0], from);
        }
        at(from).epsilon.push_back(out);
        return out;
    }

    // Finds the nodes after which every text is accepted: they read all characters in a loop, and
    // the text may end there. The end of a search is such a node.
    void find_universal() {
        std::vector<std::vector<int>> before(nodes.size());
        for (int n = 0; n < count(nodes); ++n)
            for (const int to : at(n).epsilon) before[index(to)].push_back(n);
        std::vector<bool> ends(nodes.size());
        for (std::vector<int> open{final}; !open.empty();) {
            const int n = open.back();
            open.pop_back();
            if (ends[index(n)]) continue;
            ends[index(n)] = true;
            open.insert(open.end(), before[index(n)].begin(), before[index(n)].end());
        }
        const CodePointSet all = CodePointSet::all();
        for (int n = 0; n < count(nodes); ++n) {
            at(n).universal =
                ends[index(n)] &&
                std::any_of(at(n).edges.begin(), at(n).edges.end(), [&](const auto& edge) {
                    const std::vector<int>& next = at(edge.second).epsilon;
                    return edge.first == all &&
                           std::find(next.begin(), next.end(), n) != next.end();
                });
        }
    }

    // The places that ε-edges lead to, except those that only ε-edges leave. One from which every
    // text is accepted stands for all.
    std::vector<int> close(std::vector<int> open, bool begin, bool end) {
        std::vector<int> kept;
        std::vector<bool> came_before(looks.size());
        const auto see = [&](int p) {
            if (index(p) >= seen.size()) seen.resize(2 * index(p) + 1);
            return std::exchange(seen[index(p)], round) != round;
        };
        ++round;
        for (const int p : open) {
            see(p);
            if (node_of(p) < 0) came_before[index(owed_of(p)[0].first)] = paid(p);
        }
        const auto go = [&](int n, const Owed& owed) {
            const int p = place(n, owed);
            if (see(p)) open.push_back(p);
        };
        for (std::size_t i = 0; i < open.size(); ++i) {
            const int p = open[i], n = node_of(p);
            const Owed owed = owed_of(p);
            if (n < 0 || n == final || !at(n).edges.empty() || !at(n).at_end.empty())
                kept.push_back(p);
            if (n < 0) continue;
            if (at(n).universal && owed.empty()) return {p};
            for (const int to : at(n).epsilon) go(to, owed);
            if (begin)
                for (const int to : at(n).at_begin) go(to, owed);
            if (end)
                for (const int to : at(n).at_end) go(to, owed);
            for (const auto& [number, to] : at(n).looks) {
                const int look = begin ? number : looks[index(number)].elsewhere;
                Owed more = owed;
                if (looks[index(look)].dfa.empty()) continue;
                if (!looks[index(look)].back) owe(more, look, 0);
                else if (!came_before[index(look)]) continue;
                go(to, more);
            }
        }
        work_limit.spend(open.size());
        std::sort(kept.begin(), kept.end());
        return kept;
    }
    // May the text end at this place?
    bool accepts(int place) const {
        const int n = node_of(place);
        return n >= 0 && (n == final || nodes[index(n)].universal) && paid(place);
    }

    // The first places: a node, and the look-behinds.
    std::vector<int> first(int node) {
        std::vector<int> all{node};
        for (int k = 0; k < count(looks); ++k)
            if (looks[index(k)].back && !looks[index(k)].dfa.empty())
                all.push_back(place(-1, {{k, 0}}));
        return all;
    }

    // By set: repetitions copy their part, so that many edges have one of few sets.
    using Edges = std::map<CodePointSet, std::vector<int>>;
    void add_edges(int from, Edges& edges) {
        const int n = node_of(from);
        const Owed owed = owed_of(from);
        if (n < 0) {
            const auto [look, state] = owed[0];
            for (const Dfa::Edge& e : looks[index(look)].dfa.states[index(state)].edges)
                edges[e.on].push_back(place(-1, {{look, e.to}}));
            return;
        }
        for (const auto& [on, to] : at(n).edges) pay(on, to, owed, 0, {}, edges);
    }
    // An edge, cut into parts on which what is owed steps to one state each.
    void pay(const CodePointSet& on, int to, const Owed& owed, std::size_t i, const Owed& next,
             Edges& edges) {
        work_limit.spend(1);
        if (i == owed.size()) {
            edges[on].push_back(place(to, next));
            return;
        }
        const auto [look, state] = owed[i];
        for (const Dfa::Edge& e : looks[index(look)].dfa.states[index(state)].edges) {
            const CodePointSet both = on & e.on;
            Owed more = next;
            owe(more, look, e.to);
            if (!both.empty()) pay(both, to, owed, i + 1, more, edges);
        }
    }

    WorkLimit work_limit{"regular expression"};
};

// Cuts overlapping edges into disjoint ones. Each result maps a set of targets to its code points.
std::map<std::vector<int>, CodePointSet> disjoint(const Nfa::Edges& edges, WorkLimit& work_limit) {
    // At a code point, the edges to these targets begin (true) or end.
    struct Event {
        std::int32_t at;
        const std::vector<int>* targets;
        bool begins;
    };
    std::vector<Event> events;
    for (const auto& [set, targets] : edges) {
        for (const CodePointSet::Range& r : set.ranges()) {
            events.push_back({r.low, &targets, true});
            events.push_back({r.high + 1, &targets, false});
        }
    }
    std::sort(events.begin(), events.end(),
              [](const Event& a, const Event& b) { return a.at < b.at; });
    std::map<std::vector<int>, CodePointSet> result;
    std::vector<const std::vector<int>*> active;
    for (std::size_t i = 0; i < events.size();) {
        const std::int32_t here = events[i].at;
        for (; i < events.size() && events[i].at == here; ++i) {
            if (events[i].begins) active.push_back(events[i].targets);
            else std::erase(active, events[i].targets);
        }
        if (active.empty()) continue;
        std::vector<int> all;
        for (const std::vector<int>* some : active)
            all.insert(all.end(), some->begin(), some->end());
        work_limit.spend(all.size());
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
        result[std::move(all)].add(here, events[i].at - 1);
    }
    return result;
}

}  // namespace

// Step 2: each set of NFA nodes that the same text can reach becomes one state.
Dfa Dfa::of(const Expression& expression) {
    Nfa nfa;
    const int start = nfa.add();
    nfa.final = nfa.add(expression, start);
    nfa.find_universal();
    Dfa dfa;
    std::map<std::vector<int>, int> index;
    std::vector<std::vector<int>> sets{nfa.close(nfa.first(start), true, false)};
    for (std::size_t i = 0; i < sets.size(); ++i) {
        if (sets.size() > max_dfa_states)
            throw TooLarge(
                "regular expression: more than 20000 states; use smaller repetition counts");
        const auto at_end = nfa.close(sets[i], i == 0, true);
        State state{
            {}, std::any_of(at_end.begin(), at_end.end(), [&](int p) { return nfa.accepts(p); })};
        Nfa::Edges edges;
        for (const int p : sets[i]) nfa.add_edges(p, edges);
        for (auto& [targets, on] : disjoint(edges, nfa.work_limit)) {
            // Nothing is left but look-behinds.
            if (std::none_of(targets.begin(), targets.end(),
                             [&](int p) { return nfa.node_of(p) >= 0; }))
                continue;
            // The start set is not in the index: only there are the edges of at_begin taken.
            const auto [place, added] =
                index.try_emplace(nfa.close(targets, false, false), count(sets));
            if (added) sets.push_back(place->first);
            state.edges.push_back({on, place->second});
        }
        dfa.states.push_back(std::move(state));
    }
    return trimmed(std::move(dfa));
}

}  // namespace tbt
