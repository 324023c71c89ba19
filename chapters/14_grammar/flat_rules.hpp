// The rules of a grammar that cannot come to themselves.
#pragma once

#include <vector>

#include "chapters/14_grammar/grammar.hpp"

namespace tbt {

// 1 for each rule that calls, however far inside, no rule that calls itself.
std::vector<char> flat_rules(Grammar& grammar);

}  // namespace tbt
