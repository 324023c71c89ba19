// Sums of costs, in bytes or tokens: never and more is never.
#pragma once

#include <algorithm>

#include "lib/grammar/recognizer/grammar.hpp"
#include "lib/grammar/recognizer/tokens_to_end.hpp"

namespace tbt {

static_assert(TokensToEnd::never == Grammar::never);

inline int plus(int a, int b) { return std::min(a + b, Grammar::never); }

}  // namespace tbt
