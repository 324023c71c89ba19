// The penalty DRY on candidates; plain_dry.hpp defines it. The time grows with the length of the
// text, not with its square.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "chapters/06_combining/candidates.hpp"
#include "chapters/08_penalties/plain_dry.hpp"

namespace tbt {

// The Z algorithm on the reversed text: z[i] = how many tokens, from its i-th on, equal its first
// ones. That is the length of the match that ends before position n − i. Each token is part of at
// most one successful comparison [Gusfield 1997, §1.4].
std::vector<std::size_t> matches_with_the_end(std::span<const int> ids);

// Lowers the logits of tokens that would continue a repeated passage.
void penalize_passages(Candidates& c, std::span<const int> ids, const Dry& dry);

}  // namespace tbt
