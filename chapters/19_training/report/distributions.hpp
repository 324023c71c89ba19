// Measures how much choice a model has: properties of its distribution of the next token on given
// texts.
#pragma once

#include <string>
#include <vector>

#include "lib/files/model.hpp"

namespace tbt {

struct Distributions {
    double entropy = 0;      // bits, the mean over all tokens of the texts
    double wide_nuclei = 0;  // fraction of positions whose 0.9-nucleus has more than one token
    double nucleus = 0;      // mean size of the 0.9-nucleus
};

// Measures at temperature 1. Each text is read from its beginning up to the model's context.
Distributions distributions(Model& model, const std::vector<std::string>& texts);

// Does the text end in a loop, that is, the same sequence of at least four words three times in a
// row?
bool repeats_itself(const std::string& text);

}  // namespace tbt
