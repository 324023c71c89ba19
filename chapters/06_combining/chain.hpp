// Makes chain steps of the techniques of chapters 03 to 05, as the options select them.
#pragma once

#include <vector>

#include "chapters/06_combining/chain_step.hpp"
#include "chapters/06_combining/dialects.hpp"

namespace tbt {

// The steps of chapters 03 to 05 that the options switch on. Throws UsageError for an impossible
// value, even of an option that is off.
std::vector<ChainStep> truncation_steps(const SamplingOptions& o, Dialect dialect);

}  // namespace tbt
