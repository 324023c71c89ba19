// From expressions to the graphs of a grammar.
#pragma once

#include "lib/grammar/automata/expression.hpp"
#include "lib/grammar/recognizer/gbnf.hpp"
#include "lib/grammar/recognizer/grammar.hpp"

namespace tbt {

// Adds an expression after `from`; returns the node after it. Rules of the expression are calls
// of grammar rules of that number saturating_add `first_rule`.
int add_expression(Grammar& grammar, const Expression& expression, int from, int first_rule = 0);

// The grammar of the rules; texts are derived from rule 0. Small rules that don't call themselves
// are written out where they are used, which leaves fewer calls to follow and more tokens decided
// without the stack.
Grammar compile_rules(const NamedRules& rules);
// The same with every rule called by its name.
Grammar grammar_as_written(const NamedRules& rules);

}  // namespace tbt
