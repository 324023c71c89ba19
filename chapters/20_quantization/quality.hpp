// Part 3 of chapter 20: how far rounding moves a model's distribution.
#pragma once

#include <string>
#include <vector>

#include "lib/model/transformer.hpp"

namespace tbt {

struct DistributionShift {
    double loss = 0;        // −log2 q of the texts' own tokens, a token
    double kl = 0;          // Σ p · log2(p/q), a token: 0 where nothing has changed
    double same_first = 0;  // the share of positions whose first choice is the same
};

// The distributions of `exact` (p) and `other` (q) at every position of these texts.
// Both models have the same vocabulary; each text has at least two ids.
DistributionShift compare_distributions(Transformer& exact, Transformer& other,
                                        const std::vector<std::vector<int>>& all);

// What it costs the model, in several ways, on texts it writes itself.
void show_quality(const std::string& directory);

}  // namespace tbt
