// The measurements as pictures.
#pragma once

#include <string>
#include <vector>

#include "chapters/24_which_decoder/measure.hpp"

namespace tbt {

// Wrong texts against true texts lost; or against distinct runs of four words, where the truth is a
// point of its own. Means over the genres: a line for each decoder of this model, a corner for each
// setting.
void write_frontier(const std::string& file, const std::vector<Measured>& rows,
                    const std::string& model, bool against_diversity = false);

}  // namespace tbt
