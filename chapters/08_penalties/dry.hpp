// DRY on candidates, in time that grows with the text and not with its square; plain_dry.hpp
// defines it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "chapters/06_combining/candidates.hpp"
#include "chapters/08_penalties/plain_dry.hpp"

namespace tbt {

// z[i] = how many tokens of the reversed text, from its i-th on, equal its first ones: the match
// before place n − i. Each token is compared with success once [Gusfield 1997, §1.4].
std::vector<std::size_t> matches_with_the_end(std::span<const int> ids);

// Lowers the tokens that would continue a passage the text already has.
void penalize_passages(Candidates& c, std::span<const int> ids, const Dry& dry);

}  // namespace tbt
