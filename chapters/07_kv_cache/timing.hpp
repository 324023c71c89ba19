// The clock beside the counts: what one token costs at each position, and a whole text,
// with a cache and without.
#pragma once

#include <string>

#include "lib/model/transformer.hpp"

namespace tbt {

// Prints both; `figure`, unless empty, is where the picture of time against position goes (SVG).
void print_times(Transformer& gpt, const std::string& figure);

}  // namespace tbt
