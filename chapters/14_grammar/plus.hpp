// Sums of costs, in bytes or tokens: never and more is never.
#pragma once

#include <algorithm>

#include "chapters/13_json_grammar/tokens_to_end.hpp"
#include "chapters/14_grammar/grammar.hpp"

namespace tbt {

static_assert(TokensToEnd::never == Grammar::never);

inline int plus(int a, int b) { return std::min(a + b, Grammar::never); }

}  // namespace tbt
