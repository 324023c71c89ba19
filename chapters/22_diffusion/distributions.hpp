// Samplers without chance: every way that the draws can go, and how probable it is.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "chapters/22_diffusion/plain_diffusion.hpp"

namespace tbt {

using Sampler =
    std::function<void(Canvas& row, const MaskedDistribution& distribution, const Draw& draw)>;

// The exact distribution of what the sampler makes of a row: it is run once for each sequence of
// draws that can happen. For tiny vocabularies and rows.
std::map<Canvas, double> distribution_of(const Sampler& sampler,
                                         const MaskedDistribution& distribution, const Canvas& row);

// The conditionals of a distribution over whole texts: what a perfect model answers.
// For a row that no text fits, equal probabilities.
MaskedDistribution conditionals(std::map<Canvas, double> joint, int vocabulary);

// What n places a step cost, in nats: with f[j] the cross-entropy of a token when j of f.size()
// are known, a step that reveals places j … j+k−1 at once costs Σ_{m<k} (f[j] − f[j+m]) more than
// one place after the other. Against the model's distribution the sampler's divergence is at most
// that.
double cost_of_steps(const std::vector<double>& f, std::size_t n);

}  // namespace tbt
