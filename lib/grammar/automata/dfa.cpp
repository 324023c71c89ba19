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

Dfa trimmed(Dfa dfa) {
    const std::size_t n = dfa.states.size();
    // The edges reversed, in one list: those to state s end at ends[s].
    std::vector<int> ends(n + 1), before, open, place(n, -1);
    for (const Dfa::State& s : dfa.states)
        for (const Dfa::Edge& e : s.edges) ++ends[index(e.to) + 1];
    for (std::size_t s = 0; s < n; ++s) ends[s + 1] += ends[s];
    before.resize(index(ends[n]));
    for (std::size_t s = 0; s < n; ++s) {
        for (const Dfa::Edge& e : dfa.states[s].edges)
            before[index(ends[index(e.to)]++)] = to_int(s);
        if (dfa.states[s].accepting) open.push_back(to_int(s)), place[s] = 0;
    }
    while (!open.empty()) {
        const std::size_t s = index(open.back());
        open.pop_back();
        for (int i = s == 0 ? 0 : ends[s - 1]; i < ends[s]; ++i) {
            const int from = before[index(i)];
            if (place[index(from)] < 0) place[index(from)] = 0, open.push_back(from);
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

namespace {

void check_states(std::size_t states) {
    if (states > max_dfa_states)
        throw TooLarge("regular language: more than " + std::to_string(max_dfa_states) +
                       " states; use smaller repetition counts, or fewer and shorter texts");
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
            check_states(pairs.size());
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
            if (a_may_fail) of_a.add(e.on);
            for (const Dfa::Edge& f : t.edges) {
                CodePointSet both = e.on & f.on;
                if (!both.empty()) joined.edges.push_back({std::move(both), state_of(e.to, f.to)});
            }
        }
        for (const Dfa::Edge& f : t.edges) {
            work_limit.spend(f.on.ranges().size());
            if (b_may_fail) of_b.add(f.on);
        }
        const CodePointSet not_a = of_a.complement(), not_b = of_b.complement();
        for (const Dfa::Edge& e : s.edges) {
            CodePointSet only = b_may_fail ? e.on & not_b : CodePointSet();
            if (!only.empty()) joined.edges.push_back({std::move(only), state_of(e.to, -1)});
        }
        for (const Dfa::Edge& f : t.edges) {
            CodePointSet only = a_may_fail ? f.on & not_a : CodePointSet();
            if (!only.empty()) joined.edges.push_back({std::move(only), state_of(-1, f.to)});
        }
        result.states.push_back(std::move(joined));
    }
    return trimmed(std::move(result));
}

}  // namespace

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
    if (a.empty() || b.empty()) return a.empty() ? b : a;
    return product(
        a, b, [](bool x, bool y) { return x || y; }, true, true);
}
Dfa operator-(const Dfa& a, const Dfa& b) {
    if (a.empty() || b.empty()) return a;
    return product(
        a, b, [](bool x, bool y) { return x && !y; }, false, true);
}
Dfa complement(const Dfa& a) {
    check_states(a.states.size());
    Dfa rest = a;
    const int anything = count(rest.states);  // after a missing edge
    WorkLimit work_limit("regular language");
    for (Dfa::State& s : rest.states) {
        s.accepting = !s.accepting;
        CodePointSet known;
        for (const Dfa::Edge& e : s.edges)
            work_limit.spend(1 + e.on.ranges().size()), known.add(e.on);
        CodePointSet missing = known.complement();
        if (!missing.empty()) s.edges.push_back({std::move(missing), anything});
    }
    rest.states.push_back({{{CodePointSet::all(), anything}}, true});
    return trimmed(std::move(rest));
}

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
