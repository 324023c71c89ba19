// The parts of chapter 15's program.
#pragma once

#include <string>
#include <vector>

#include "chapters/15_regular/plain_regex.hpp"
#include "lib/grammar/automata/dfa.hpp"
#include "lib/grammar/automata/expression.hpp"

namespace tbt {

// Converts a parsed expression to a plain one over the bytes of UTF-8. Throws if it has ^ or $.
Regex plain_of(const Expression& expression);

// The automaton whose states are the derivatives. automaton_of throws above 100 states.
struct PlainAutomaton {
    struct Edge {
        std::string on;  // "0-9": the bytes
        std::size_t to;
    };
    struct State {
        Regex rest;
        std::vector<Edge> edges;
    };
    std::vector<State> states;  // the first is the start
};
PlainAutomaton automaton_of(const Regex& expression);

// 1. What may still come, byte by byte.
void show_derivatives(const std::string& pattern, const std::string& text);
// 2. All states.
void show_states(const std::string& pattern);
// 3. A range of whole numbers, digit by digit. Throws if low or high is not a number.
void show_range(const std::string& low, const std::string& high);
// 4. Dates that exist.
void show_dates();
// 5. Operations that only automata have: "and", "but not".
void show_sets();

}  // namespace tbt
