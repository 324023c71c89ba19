// The optimizer AdamW [Loshchilov & Hutter 2019] with clipping of the gradients' global norm, and
// the schedule of the learning rate.
#pragma once

#include <cstdint>
#include <span>

#include "lib/core/index.hpp"
#include "lib/train/parameters.hpp"

namespace tbt::train {

struct AdamWOptions {
    float beta_1 = 0.9f, beta_2 = 0.95f, epsilon = 1e-8f;
    float weight_decay = 0.1f;  // for matrices and embeddings only
    float largest_norm =
        1.0f;           // if the norm of all gradients is larger, they are scaled down to it
    bool muon = false;  // the matrices of layers by Muon (muon.hpp)
};

// The learning rate at `step`: it rises linearly to `peak` during `warm_up` steps, then falls along
// half a cosine to peak / 10 at `steps`.
double learning_rate(std::int64_t step, std::int64_t warm_up, std::int64_t steps, double peak);

// The Euclidean norm of all gradients. The order of summation does not depend on the number of
// threads.
double norm(std::span<const float> gradients, int threads);

class AdamW {
public:
    AdamW(const ParameterLayout& layout, const AdamWOptions& options);

    // One update with step number t = 1, 2, … and learning rate η = `rate`. Returns the norm before
    // clipping.
    //     g ← g · min(1, largest_norm / ‖g‖)
    //     m ← β₁ m + (1 − β₁) g,   v ← β₂ v + (1 − β₂) g²
    //     w ← w − η (m̂ / (√v̂ + ε) + λ w),   m̂ = m / (1 − β₁ᵗ), v̂ = v / (1 − β₂ᵗ)
    // With `muon`, each matrix (R, C) of a layer instead (q, k and v apart) by
    //     m ← μ m + (1 − μ) g,   w ← w − η (.2 √max(R, C) · orthogonal(μ m + (1 − μ) g) + λ w)
    // with μ = .95, so that the step is as long as AdamW's mostly are [Liu et al. 2025, §2.2].
    double step(std::span<float> parameters, std::span<const float> gradients, std::int64_t t,
                double rate, int threads);

    std::span<float> first_moments() { return {m_.get(), index(layout_.total)}; }
    std::span<float> second_moments() { return {v_.get(), index(layout_.total)}; }

private:
    void muon_step(std::span<float> parameters, std::span<const float> gradients, float clip,
                   double rate, int threads);

    const ParameterLayout& layout_;
    AdamWOptions options_;
    AlignedFloats m_, v_;  // Muon uses the first alone
};

}  // namespace tbt::train
