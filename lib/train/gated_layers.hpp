// The layers that Llama has in place of GPT-2's, for training: RMS norm, the gated MLP, rotary
// positions. As in train_layers.hpp one thread does all of it, M rows are tokens, C channels and F
// are multiples of 16, and gradients of parameters are added to what is there.
#pragma once

#include <cstdint>
#include <vector>

#include "lib/model/model_config.hpp"
#include "lib/train/train_attention.hpp"

namespace tbt::train {

// y = x · r · gain, r = 1 / √(mean(x²) + ε) [Zhang & Sennrich 2019]; stats (M) keeps r of each row.
void rms_norm(const float* x, const float* gain, float epsilon, float* y, float* stats,
              std::int64_t M, std::int64_t C);

// ∂x += the gradient through the norm; ∂gain += Σ_m ∂y · x · r
void rms_norm_backward(const float* x, const float* stats, const float* gain, const float* d_y,
                       float* d_x, float* d_gain, std::int64_t M, std::int64_t C);

// y = silu(gate) · up, silu(g) = g / (1 + e^−g) [Shazeer 2020]; a row of x (M, 2F) holds gate, then
// up; y (M, F).
void gate_silu(const float* x, float* y, std::int64_t M, std::int64_t F);

// d_x (M, 2F), of the gradient d_y (M, F).
void gate_silu_backward(const float* x, const float* d_y, float* d_x, std::int64_t M,
                        std::int64_t F);

// Rotary positions [Su et al. 2021]: cosines and sines of every position of the context.
class RotaryTable {
public:
    RotaryTable() = default;  // of a model without: turns nothing
    // Throws Error for what rotary_frequencies refuses (lib/model/rotary.hpp).
    RotaryTable(const Rotary& rotary, int size, std::int64_t positions);

    // Turns the queries and keys in qkv (B, T, N), in place. backward: their gradients, by the
    // opposite angles, as a rotation is undone by its transpose.
    void turn(float* qkv, const BatchShape& shape, bool backward) const;

private:
    int size_ = 0;                             // components of a head that are turned
    std::vector<float> angles_, angles_back_;  // (positions, size)
};

}  // namespace tbt::train
