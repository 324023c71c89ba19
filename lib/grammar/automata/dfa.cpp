#include "lib/grammar/automata/dfa.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/grammar/cancellation.hpp"

namespace tbt {

namespace {

constexpr std::size_t max_spent = 20'000'000, max_together = 40'000'000;  // one and two seconds
thread_local WorkLimit::Together* together = nullptr;

}  // namespace

WorkLimit::Together::Together() : outer_(together) { together = this; }
WorkLimit::Together::~Together() { together = outer_; }

void WorkLimit::spend(std::size_t parts) {
    Cancellation::point();
    spent_ += parts;
    if (spent_ > max_spent)
        throw TooLarge(std::string(who_) + ": building its automaton takes more than " +
                       std::to_string(max_spent) +
                       " steps; use smaller repetition counts or fewer alternatives");
    if (together != nullptr && (together->spent_ += parts) > max_together)
        throw TooLarge(std::string(who_) + "s: building their automata takes more than " +
                       std::to_string(max_together) +
                       " steps; use fewer or smaller patterns and lists");
}

namespace {

using Kind = Expression::Kind;
constexpr int max_states = 20000, max_nfa_nodes = 500000;

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
    };
    std::vector<Node> nodes;
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

    std::vector<int> close(std::vector<int> open, bool begin, bool end) {
        std::set<int> seen(open.begin(), open.end());
        std::vector<bool> came_before(looks.size());
        for (const int p : open)
            if (node_of(p) < 0) came_before[index(owed_of(p)[0].first)] = paid(p);
        const auto go = [&](int n, const Owed& owed) {
            const int p = place(n, owed);
            if (seen.insert(p).second) open.push_back(p);
        };
        while (!open.empty()) {
            const int n = node_of(open.back());
            const Owed owed = owed_of(open.back());
            open.pop_back();
            if (n < 0) continue;
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
        work_limit.spend(seen.size());
        return {seen.begin(), seen.end()};
    }

    // The first places: a node, and the look-behinds.
    std::vector<int> first(int node) {
        std::vector<int> all{node};
        for (int k = 0; k < count(looks); ++k)
            if (looks[index(k)].back && !looks[index(k)].dfa.empty())
                all.push_back(place(-1, {{k, 0}}));
        return all;
    }

    using Edges = std::vector<std::pair<CodePointSet, int>>;
    void add_edges(int from, Edges& edges) {
        const int n = node_of(from);
        const Owed owed = owed_of(from);
        if (n < 0) {
            const auto [look, state] = owed[0];
            for (const Dfa::Edge& e : looks[index(look)].dfa.states[index(state)].edges)
                edges.emplace_back(e.on, place(-1, {{look, e.to}}));
            return;
        }
        for (const auto& [on, to] : at(n).edges) pay(on, to, owed, 0, {}, edges);
    }
    // An edge, cut into parts on which what is owed steps to one state each.
    void pay(const CodePointSet& on, int to, const Owed& owed, std::size_t i, const Owed& next,
             Edges& edges) {
        work_limit.spend(1);
        if (i == owed.size()) {
            edges.emplace_back(on, place(to, next));
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
std::map<std::vector<int>, CodePointSet> disjoint(
    const std::vector<std::pair<CodePointSet, int>>& edges, WorkLimit& work_limit) {
    // At a code point, a target begins (+1) or ends (−1).
    std::vector<std::pair<std::int32_t, std::pair<int, int>>> events;
    for (const auto& [set, to] : edges) {
        for (const CodePointSet::Range& r : set.ranges()) {
            events.push_back({r.low, {to, 1}});
            events.push_back({r.high + 1, {to, -1}});
        }
    }
    std::sort(events.begin(), events.end());
    std::map<std::vector<int>, CodePointSet> result;
    std::map<int, int> active;
    for (std::size_t i = 0; i < events.size();) {
        const std::int32_t here = events[i].first;
        for (; i < events.size() && events[i].first == here; ++i) {
            const auto& [to, change] = events[i].second;
            if ((active[to] += change) == 0) active.erase(to);
        }
        if (active.empty()) continue;
        work_limit.spend(active.size());
        std::vector<int> targets;
        for (const auto& [to, n] : active) targets.push_back(to);
        result[targets].add(here, events[i].first - 1);
    }
    return result;
}

// Drops states that lead to no accepting state, and the edges to them.
Dfa trimmed(Dfa dfa) {
    const std::size_t n = dfa.states.size();
    std::vector<std::vector<int>> before(n);
    std::vector<int> open, place(n, -1);
    for (std::size_t s = 0; s < n; ++s) {
        for (const Dfa::Edge& e : dfa.states[s].edges) before[index(e.to)].push_back(to_int(s));
        if (dfa.states[s].accepting) open.push_back(to_int(s)), place[s] = 0;
    }
    while (!open.empty()) {
        const int s = open.back();
        open.pop_back();
        for (const int b : before[index(s)]) {
            if (place[index(b)] < 0) place[index(b)] = 0, open.push_back(b);
        }
    }
    Dfa alive;
    if (n == 0 || place[0] < 0) return alive;
    int count = 0;
    for (int& p : place) p = p < 0 ? -1 : count++;
    for (std::size_t s = 0; s < n; ++s) {
        if (place[s] < 0) continue;
        Dfa::State state{{}, dfa.states[s].accepting};
        for (Dfa::Edge& e : dfa.states[s].edges) {
            const int to = place[index(e.to)];
            if (to >= 0) state.edges.push_back({std::move(e.on), to});
        }
        alive.states.push_back(std::move(state));
    }
    return alive;
}

// The product automaton: a state is a pair of states. −1 is the state after a missing edge; it
// never accepts. a_may_fail: pairs with a in state −1 are kept; else they are dropped.
Dfa product(const Dfa& a, const Dfa& b, const std::function<bool(bool, bool)>& accept,
            bool a_may_fail, bool b_may_fail) {
    Dfa result;
    std::map<std::pair<int, int>, int> index;
    std::vector<std::pair<int, int>> pairs;
    const auto state_of = [&](int x, int y) {
        const auto [place, added] = index.try_emplace({x, y}, count(pairs));
        if (added) {
            pairs.emplace_back(x, y);
            if (pairs.size() > max_states)
                throw TooLarge(
                    "regular language: more than 20000 states; use smaller repetition counts, or "
                    "fewer and shorter texts");
        }
        return place->second;
    };
    static const Dfa::State failed;
    WorkLimit work_limit("regular language");
    state_of(a.empty() ? -1 : 0, b.empty() ? -1 : 0);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const auto [x, y] = pairs[i];
        const Dfa::State& s = x < 0 ? failed : a.states[static_cast<std::size_t>(x)];
        const Dfa::State& t = y < 0 ? failed : b.states[static_cast<std::size_t>(y)];
        Dfa::State joined{{}, accept(s.accepting, t.accepting)};
        CodePointSet of_a, of_b;
        for (const Dfa::Edge& e : s.edges) {
            work_limit.spend((1 + e.on.ranges().size()) * (1 + t.edges.size()));
            of_a.add(e.on);
            for (const Dfa::Edge& f : t.edges) {
                CodePointSet both = e.on & f.on;
                if (!both.empty()) joined.edges.push_back({std::move(both), state_of(e.to, f.to)});
            }
        }
        for (const Dfa::Edge& f : t.edges) work_limit.spend(f.on.ranges().size()), of_b.add(f.on);
        for (const Dfa::Edge& e : s.edges) {
            CodePointSet only = b_may_fail ? e.on - of_b : CodePointSet();
            if (!only.empty()) joined.edges.push_back({std::move(only), state_of(e.to, -1)});
        }
        for (const Dfa::Edge& f : t.edges) {
            CodePointSet only = a_may_fail ? f.on - of_a : CodePointSet();
            if (!only.empty()) joined.edges.push_back({std::move(only), state_of(-1, f.to)});
        }
        result.states.push_back(std::move(joined));
    }
    return trimmed(std::move(result));
}

}  // namespace

// Step 2: each set of NFA nodes that the same text can reach becomes one state.
Dfa Dfa::of(const Expression& expression) {
    Nfa nfa;
    const int start = nfa.add(), final = nfa.add(expression, start);
    Dfa dfa;
    std::map<std::vector<int>, int> index;
    std::vector<std::vector<int>> sets{nfa.close(nfa.first(start), true, false)};
    for (std::size_t i = 0; i < sets.size(); ++i) {
        if (sets.size() > max_states)
            throw TooLarge(
                "regular expression: more than 20000 states; use smaller repetition counts");
        const auto at_end = nfa.close(sets[i], i == 0, true);
        State state{{}, std::any_of(at_end.begin(), at_end.end(), [&](int p) {
                        return nfa.node_of(p) == final && nfa.paid(p);
                    })};
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

Dfa Dfa::anything() {
    Dfa dfa;
    dfa.states.push_back({{{CodePointSet::all(), 0}}, true});
    return dfa;
}

bool Dfa::accepts(std::string_view text) const {
    if (states.empty()) return false;
    int at = 0;
    for (const std::int32_t c : code_points_of(text, "text")) {
        const std::vector<Edge>& edges = states[index(at)].edges;
        const auto edge = std::find_if(edges.begin(), edges.end(),
                                       [&](const Edge& e) { return e.on.contains(c); });
        if (edge == edges.end()) return false;
        at = edge->to;
    }
    return states[index(at)].accepting;
}

Dfa operator&(const Dfa& a, const Dfa& b) {
    if (a.empty() || b.empty()) return {};
    return product(
        a, b, [](bool x, bool y) { return x && y; }, false, false);
}
Dfa operator|(const Dfa& a, const Dfa& b) {
    return product(
        a, b, [](bool x, bool y) { return x || y; }, true, true);
}
Dfa operator-(const Dfa& a, const Dfa& b) {
    if (a.empty()) return {};
    return product(
        a, b, [](bool x, bool y) { return x && !y; }, false, true);
}
Dfa complement(const Dfa& a) { return Dfa::anything() - a; }

namespace {

constexpr std::size_t max_listed_states = 200000;

// The fewest steps from any of these states to an accepting state; −1 if none is reachable.
long long steps_to_end(const Dfa& dfa, std::set<int> states) {
    std::vector<bool> seen(dfa.states.size());
    for (long long steps = 0; !states.empty(); ++steps) {
        std::set<int> next;
        for (const int s : states) {
            if (dfa.states[index(s)].accepting) return steps;
            if (seen[index(s)]) continue;
            seen[index(s)] = true;
            for (const Dfa::Edge& e : dfa.states[index(s)].edges)
                if (!seen[index(e.to)]) next.insert(e.to);
        }
        states = std::move(next);
    }
    return -1;
}

}  // namespace

// The minimal automaton of a list, built text by text in sorted order [Daciuk et al. 2000]. A state
// is finished when no later text can pass through it; it is then merged with an equal one.
Dfa Dfa::of(const std::vector<std::string>& texts) {
    using Edges = std::map<int, CodePointSet>;  // by target state
    struct Open {
        std::int32_t last = -1;  // the character that leads to the next state of the path
        Edges edges;
        bool accepting = false;
    };
    std::vector<std::vector<std::int32_t>> sorted;
    for (const std::string& text : texts) sorted.push_back(code_points_of(text, "text"));
    std::sort(sorted.begin(), sorted.end());
    std::map<std::pair<bool, Edges>, int> finished;
    std::vector<Open> path(1);  // the states of the previous text
    const auto finish = [&](std::size_t length) {
        for (; path.size() > length + 1; path.pop_back()) {
            const int state =
                finished
                    .try_emplace({path.back().accepting, std::move(path.back().edges)},
                                 count(finished))
                    .first->second;
            if (finished.size() > max_listed_states)
                throw TooLarge("a list of " + std::to_string(texts.size()) +
                               " texts takes more than " + std::to_string(max_listed_states) +
                               " states; use fewer or shorter ones");
            Open& before = path[path.size() - 2];
            before.edges[state].add(before.last, before.last);
        }
    };
    for (const std::vector<std::int32_t>& text : sorted) {
        std::size_t same = 0;
        while (same < text.size() && same + 1 < path.size() && path[same].last == text[same])
            ++same;
        finish(same);
        for (; same < text.size(); ++same) path[same].last = text[same], path.emplace_back();
        path.back().accepting = true;
    }
    finish(0);
    if (texts.empty()) return {};
    // The start comes first, then the finished states.
    Dfa dfa;
    dfa.states.resize(finished.size() + 1);
    const auto set = [&](State& state, const Edges& edges, bool accepting) {
        for (const auto& [to, on] : edges) state.edges.push_back({on, to + 1});
        state.accepting = accepting;
    };
    set(dfa.states[0], path[0].edges, path[0].accepting);
    for (const auto& [state, number] : finished)
        set(dfa.states[index(number + 1)], state.second, state.first);
    return dfa;
}

long long shortest_length(const Dfa& dfa) { return dfa.empty() ? -1 : steps_to_end(dfa, {0}); }

// Removes states without incoming edges, one after another. If some remain, there is a cycle.
long long longest_length(const Dfa& dfa) {
    std::vector<int> leading(dfa.states.size()), open;
    std::vector<long long> longest(dfa.states.size());  // path from the start, in edges
    for (const Dfa::State& s : dfa.states)
        for (const Dfa::Edge& e : s.edges) ++leading[index(e.to)];
    for (int s = 0; s < count(dfa.states); ++s)
        if (leading[index(s)] == 0) open.push_back(s);
    std::size_t taken = 0;
    long long length = -1;
    for (; !open.empty(); ++taken) {
        const int now = open.back();
        open.pop_back();
        if (dfa.states[index(now)].accepting) length = std::max(length, longest[index(now)]);
        for (const Dfa::Edge& e : dfa.states[index(now)].edges) {
            longest[index(e.to)] = std::max(longest[index(e.to)], longest[index(now)] + 1);
            if (--leading[index(e.to)] == 0) open.push_back(e.to);
        }
    }
    return taken == dfa.states.size() ? length : -1;
}

bool has_length(const Dfa& dfa, long long least, long long most) {
    if (dfa.empty() || (most >= 0 && most < least)) return false;
    std::set<int> states{0}, kept;  // they come round; whole rounds are skipped [Brent 1980]
    for (long long length = 0, kept_at = 0; length < least && !states.empty(); ++length) {
        if (states == kept) length = least - (least - length) % (length - kept_at);
        else if (length >= 2 * kept_at) kept = states, kept_at = length;
        if (length == least) break;
        std::set<int> next;
        for (const int s : states)
            for (const Dfa::Edge& e : dfa.states[index(s)].edges) next.insert(e.to);
        states = std::move(next);
    }
    const long long rest = steps_to_end(dfa, states);
    return rest >= 0 && (most < 0 || rest <= most - least);
}

// Counts the texts of each length by the state that they reach, until there are enough.
int enough_characters(const Dfa& dfa, long long texts) {
    constexpr int longest = 1000;
    CodePointSet plain = CodePointSet(' ', '~') - CodePointSet('"', '"') - CodePointSet('\\', '\\');
    std::map<int, long long> now{{0, 1}};
    for (int length = 0; length <= longest && !now.empty() && !dfa.empty(); ++length) {
        std::map<int, long long> next;
        for (const auto& [state, ways] : now) {
            const Dfa::State& s = dfa.states[index(state)];
            if (s.accepting) texts -= ways;
            for (const Dfa::Edge& e : s.edges)
                for (const CodePointSet::Range& r : (e.on & plain).ranges())
                    next[e.to] = std::min(next[e.to] + ways * (r.high - r.low + 1), 1'000'000LL);
        }
        if (texts <= 0) return length;
        now = std::move(next);
    }
    return -1;
}

}  // namespace tbt
