#include "lib/grammar/automata/finite.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "lib/core/index.hpp"

namespace tbt {

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
    std::set<int> states{0};
    for (long long length = 0; length < least && !states.empty(); ++length) {
        std::set<int> next;
        for (const int s : states)
            for (const Dfa::Edge& e : dfa.states[index(s)].edges) next.insert(e.to);
        if (next == states) break;  // it will never change again
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
