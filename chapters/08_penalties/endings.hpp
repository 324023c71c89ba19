// Steps on candidates that decide how a text begins and ends; plain_endings.hpp defines them.
#pragma once

#include <span>

#include "chapters/06_combining/candidates.hpp"
#include "chapters/08_penalties/plain_endings.hpp"

namespace tbt {

// Bans these tokens.
void suppress(Candidates& c, std::span<const int> ids);

// Leaves only this token. If a ban or a grammar has already removed it, nothing happens, unless
// against_bans is true.
void force(Candidates& c, int id, bool against_bans = false);

// Raises the logit s of each end token by |s|·(factor^(generated − start) − 1) once generated >
// start.
void favour_ending(Candidates& c, std::size_t generated, const EndingDecay& decay,
                   std::span<const int> eos);

}  // namespace tbt
