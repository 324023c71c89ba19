// The steps of chapters 03 to 05 for a chain, as the options ask for them.
#pragma once

#include <vector>

#include "chapters/06_combining/chain_step.hpp"
#include "chapters/06_combining/dialects.hpp"

namespace tbt {

// The steps of chapters 03 to 05 that the options switch on; every option is checked,
// also those that are off.
std::vector<ChainStep> cut_steps(const SamplingOptions& o, Dialect dialect);

}  // namespace tbt
