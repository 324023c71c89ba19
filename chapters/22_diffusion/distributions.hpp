// Exact distributions of samplers: enumerates every sequence of random draws with its probability.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "chapters/22_diffusion/plain_diffusion.hpp"

namespace tbt {

using Sampler =
    std::function<void(Canvas& row, const MaskedDistribution& distribution, const Draw& draw)>;
// fill_at_random() and fill_by_confidence() with n places a step.
Sampler at_random(std::size_t n);
Sampler by_confidence(std::size_t n);

// The exact distribution of a sampler's results for a row. The sampler is run once for each
// possible sequence of draws, so this is for tiny vocabularies and rows.
std::map<Canvas, double> distribution_of(const Sampler& sampler,
                                         const MaskedDistribution& distribution, const Canvas& row);

// The conditional distributions of a joint distribution over whole texts, that is, a perfect model.
// For a row that fits no text, all probabilities are equal.
MaskedDistribution conditionals(std::map<Canvas, double> joint, int vocabulary);

// The cost of filling n places per step, in nats. f[j] is the cross-entropy of a token when j of
// f.size() are known. A step that fills places j … j+k−1 at once costs Σ_{m<k} (f[j] − f[j+m]) more
// than one place at a time. The sum over the steps is an upper bound for the KL divergence of the
// sampler's distribution from the model's.
double cost_of_steps(const std::vector<double>& f, std::size_t n);

}  // namespace tbt
