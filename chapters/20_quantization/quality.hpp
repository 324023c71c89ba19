// Part 3 of chapter 20: how much rounding changes a model's distribution.
#pragma once

#include <string>
#include <vector>

#include "lib/model/transformer.hpp"

namespace tbt {

struct DistributionShift {
    double loss = 0;        // mean of −log2 q(token) over the texts' tokens
    double kl = 0;          // mean of Σ p · log2(p/q) over the positions; 0: no change
    double same_first = 0;  // the fraction of positions with the same most probable token
};

// Compares the distributions of `exact` (p) and `other` (q) at every position of these texts. Both
// models must have the same vocabulary; each text must have at least two ids.
DistributionShift compare_distributions(Transformer& exact, Transformer& other,
                                        const std::vector<std::vector<int>>& all);

// Prints the table for several ways of rounding, on texts that the model writes itself.
void show_quality(const std::string& directory);

}  // namespace tbt
