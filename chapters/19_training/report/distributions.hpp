// How much there is to choose: the distribution of the next token, over given texts.
#pragma once

#include <string>
#include <vector>

#include "lib/model/model.hpp"

namespace tbt {

struct Distributions {
    double entropy = 0;      // bits, the mean over all tokens of the texts
    double wide_nuclei = 0;  // share of positions whose 0.9-nucleus has more than one token
    double nucleus = 0;      // its mean size
};

// At temperature 1; each text is read from its beginning, as far as the context goes.
Distributions distributions(Model& model, const std::vector<std::string>& texts);

// Does the text end in a loop: the same stretch of at least four words three times in a row?
bool repeats_itself(const std::string& text);

}  // namespace tbt
