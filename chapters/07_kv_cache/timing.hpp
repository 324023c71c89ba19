// Measures the time for one token at each position and for a whole text, with and without a cache.
#pragma once

#include <string>

#include "lib/model/transformer.hpp"

namespace tbt {

// Prints both. If `figure` is not empty, it is the file for the picture of time against position
// (SVG).
void print_times(Transformer& gpt, const std::string& figure);

}  // namespace tbt
