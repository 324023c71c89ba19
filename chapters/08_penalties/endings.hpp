// How a text must begin and end, on candidates; plain_endings.hpp defines it.
#pragma once

#include <span>

#include "chapters/06_combining/candidates.hpp"
#include "chapters/08_penalties/plain_endings.hpp"

namespace tbt {

// These tokens cannot come.
void suppress(Candidates& c, std::span<const int> ids);

// Only this token can come. Where a ban or a grammar has taken it away already, nothing happens,
// unless it is forced against them.
void force(Candidates& c, int id, bool against_bans = false);

// The end of the text gains |s|·(factor^(generated − start) − 1), once generated > start.
void favour_ending(Candidates& c, std::size_t generated, const EndingDecay& decay,
                   std::span<const int> eos);

}  // namespace tbt
