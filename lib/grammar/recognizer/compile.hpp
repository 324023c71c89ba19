// Compiles expressions (syntax trees) to the graphs of a grammar.
#pragma once

#include "lib/grammar/automata/expression.hpp"
#include "lib/grammar/recognizer/gbnf.hpp"
#include "lib/grammar/recognizer/grammar.hpp"

namespace tbt {

// Adds an expression after the node `from`; returns the node after it. Rule number r of the
// expression becomes a call of the grammar's rule first_rule + r. Throws UsageError for a rule that
// does not exist and for impossible repetition counts, TooLarge for too many nodes.
int add_expression(Grammar& grammar, const Expression& expression, int from, int first_rule = 0);

// The grammar of the rules; texts are derived from rule 0. Small rules that call no other rule are
// inlined where they are used. That leaves fewer calls to follow, and more tokens can be decided
// without the stack. Throws as add_expression and Grammar::finish do.
Grammar compile_rules(const NamedRules& rules);
// The same without inlining.
Grammar grammar_as_written(const NamedRules& rules);

}  // namespace tbt
