// Regular languages over code points, as deterministic automata:
// the only form in which languages can be intersected and subtracted, which JSON Schema asks for
// all the time (a pattern and a length; any key but these).
#pragma once

#include <cstdint>
#include <string_view>
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
        std::vector<Edge> edges;  // a code point without an edge: the text is not in the language
        bool accepting = false;
        bool operator==(const State&) const = default;
    };
    std::vector<State> states;  // the first is the start; none: the empty language

    bool empty() const { return states.empty(); }
    // The same automaton; two may differ and mean the same.
    bool operator==(const Dfa&) const = default;
    bool accepts(std::string_view text) const;

    static Dfa anything();
    static Dfa of(const Expression& expression);
    static Dfa of(const std::vector<std::string>& texts);
};

Dfa operator&(const Dfa& a, const Dfa& b);
Dfa operator|(const Dfa& a, const Dfa& b);
Dfa operator-(const Dfa& a, const Dfa& b);
Dfa complement(const Dfa& a);

}  // namespace tbt
