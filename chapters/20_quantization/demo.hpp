// Parts 1 to 4 of chapter 20's program; part 5 is in tools/few_bits.hpp.
#pragma once

#include <string>
#include <vector>

#include "lib/model/transformer.hpp"

namespace tbt {

// 1. A row of numbers in 8 bits, and the same row with an outlier.
void show_row();
// 2. The model's matrices with scales for the whole matrix, for each column, for groups. They are
// GPT-2's: of another model `skips` says so in a line; otherwise throws Error.
void show_matrices(const std::string& directory, bool skips = false);
// 4. Tokens per second, the only part that measures time.
void show_speed(const std::string& directory);

// How much rounding changes a model's distribution.
struct DistributionShift {
    double loss = 0;        // mean of −log2 q(token) over the texts' tokens
    double kl = 0;          // mean of Σ p · log2(p/q) over the positions; 0: no change
    double same_first = 0;  // the fraction of positions with the same most probable token
};

// Compares the distributions of `exact` (p) and `other` (q) at every position of these texts. Both
// models must have the same vocabulary; each text must have at least two ids.
DistributionShift compare_distributions(Transformer& exact, Transformer& other,
                                        const std::vector<std::vector<int>>& all);

// 3. The table for several ways of rounding, on texts that the model writes itself.
void show_quality(const std::string& directory);

}  // namespace tbt
