// Compiles expressions (syntax trees) and automata to the graphs of a grammar.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/grammar/automata/dfa.hpp"
#include "lib/grammar/recognizer/grammar.hpp"

namespace tbt {

// Adds an expression after the node `from`; returns the node after it. Its rules are the grammar's.
// Throws UsageError for a rule that does not exist and for impossible repetition counts, TooLarge
// for too many nodes.
int add_expression(Grammar& grammar, const Expression& expression, int from);

// Rules with names; texts are derived from the first.
struct NamedRules {
    std::vector<std::string> names;
    std::vector<Expression> bodies;
    // "NAME:LINE:COLUMN" where each rule is defined; empty if the rules come from elsewhere.
    std::vector<std::string> places;
};

// The grammar of the rules; texts are derived from rule 0. Small rules that call no other rule are
// inlined where they are used. That leaves fewer calls to follow, and more tokens can be decided
// without the stack. Throws as add_expression and Grammar::finish do.
Grammar compile_rules(const NamedRules& rules);
// The same without inlining.
Grammar grammar_as_written(const NamedRules& rules);

// How code points are written in bytes.
enum class Spelling {
    utf8,
    json,  // as UTF-8 inside a JSON string; escaped only if it must be: \n, \u001f
};
// The byte sequences that spell the members of a set.
std::vector<ByteSequence> spell(const CodePointSet& set, Spelling spelling);
// The shortest spelling of one code point, six bytes at most. Throws Error for a surrogate.
std::string shortest_spelling(std::int32_t c, Spelling spelling);

// Adds the language of the automaton after the node `from`; returns the node after it.
int add_dfa(Grammar& grammar, const Dfa& dfa, int from, Spelling spelling);

// The language as a grammar with one rule, in UTF-8.
Grammar grammar_of(const Dfa& dfa);

}  // namespace tbt
