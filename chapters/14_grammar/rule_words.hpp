// Where a text stands in a grammar, in words: the rules that are under way.
#pragma once

#include <string>

#include "chapters/14_grammar/grammar_machine.hpp"

namespace tbt {

// "root › date › month", for at most three derivations; rules without a name of their own are left
// out. Empty: nothing but the first rule is under way.
std::string rule_words(const GrammarMachine& machine, ByteMachine::State state);

}  // namespace tbt
