// Regular languages over code points, as deterministic finite automata (DFA). In this form
// languages can be intersected and subtracted, as JSON Schema often needs: a pattern and a length,
// or any key but these.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/grammar/automata/code_points.hpp"
#include "lib/grammar/automata/expression.hpp"
#include "lib/grammar/recognizer/grammar.hpp"

namespace tbt {

struct Dfa {
    struct Edge {
        CodePointSet on;  // the edges of a state are disjoint
        int to;
        bool operator==(const Edge&) const = default;
    };
    struct State {
        std::vector<Edge> edges;  // a code point without an edge: the text is rejected
        bool accepting = false;
        bool operator==(const State&) const = default;
    };
    std::vector<State> states;  // the first is the start; no states: the empty language

    bool empty() const { return states.empty(); }
    // Equal states and edges. Automata that compare unequal may still accept the same language.
    bool operator==(const Dfa&) const = default;
    // The text must be UTF-8: throws UsageError otherwise.
    bool accepts(std::string_view text) const;

    // All texts; the texts of an expression without rules; exactly these texts (UTF-8). Throws
    // TooLarge if the automaton would need too many states or too much work.
    static Dfa anything();
    static Dfa of(const Expression& expression);
    static Dfa of(const std::vector<std::string>& texts);
};

// Intersection, union, difference and complement. These throw TooLarge too.
Dfa operator&(const Dfa& a, const Dfa& b);
Dfa operator|(const Dfa& a, const Dfa& b);
Dfa operator-(const Dfa& a, const Dfa& b);
Dfa complement(const Dfa& a);

// An automaton that copies share, or nothing: all texts.
class SharedDfa {
public:
    SharedDfa() = default;
    SharedDfa(Dfa dfa) : dfa_(std::make_shared<const Dfa>(std::move(dfa))) {}
    explicit operator bool() const { return dfa_ != nullptr; }
    const Dfa& operator*() const { return *dfa_; }
    const Dfa* operator->() const { return dfa_.get(); }

private:
    std::shared_ptr<const Dfa> dfa_;
};

}  // namespace tbt
