// How varied a set of texts is.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tbt {

struct Diversity {
    double distinct_texts = 0;     // share
    double distinct[4] = {};       // distinct-1 … 4
    double plot_entropy = 0;       // bits: of the alternatives taken at most two rules deep
    double repeated = 0;           // share of a text's runs of four words that it had before
    std::size_t alternatives = 0;  // of the grammar that occur at all
};

// What the words alone say of it: without plots and alternatives. Words end at white space.
Diversity word_diversity(const std::vector<std::string>& texts);

}  // namespace tbt
