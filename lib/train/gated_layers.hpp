// The layers of Llama that GPT-2 does not have, for training: RMS norm, the gated MLP, rotary
// positions. As in train_layers.hpp, a call uses one thread, the M rows are tokens, C (channels)
// and F (width of the MLP) are multiples of 16, and gradients of parameters are added to the old
// values.
#pragma once

#include <cstdint>
#include <vector>

#include "lib/model/model_config.hpp"
#include "lib/train/train_attention.hpp"

namespace tbt::train {

// y = x · r · gain, r = 1 / √(mean(x²) + ε) [Zhang & Sennrich 2019]. stats (M) gets the r of each
// row, for the backward pass.
void rms_norm(const float* x, const float* gain, float epsilon, float* y, float* stats,
              std::int64_t M, std::int64_t C);

// ∂x += the gradient through the norm; ∂gain += Σ_m ∂y · x · r
void rms_norm_backward(const float* x, const float* stats, const float* gain, const float* d_y,
                       float* d_x, float* d_gain, std::int64_t M, std::int64_t C);

// y = silu(gate) · up, silu(g) = g / (1 + e^−g) [Shazeer 2020]. A row of x (M, 2F) is (gate, up); y
// is (M, F).
void gate_silu(const float* x, float* y, std::int64_t M, std::int64_t F);

// Computes d_x (M, 2F) from d_y (M, F).
void gate_silu_backward(const float* x, const float* d_y, float* d_x, std::int64_t M,
                        std::int64_t F);

// Rotary positions [Su et al. 2021]: the cosines and sines for every position of the context.
class RotaryTable {
public:
    RotaryTable() = default;  // for a model without rotary positions: turn() does nothing
    // size: the components of a head that are rotated. Throws the errors of rotary_frequencies()
    // (lib/model/rotary.hpp).
    RotaryTable(const Rotary& rotary, int size, std::int64_t positions);

    // Rotates the queries and keys in qkv (B, T, N), in place. With `backward`, qkv has their
    // gradients and is rotated by the opposite angles (the transpose of a rotation is its inverse).
    void turn(float* qkv, const BatchShape& shape, bool backward) const;

private:
    int size_ = 0;                             // components of a head that are rotated
    std::vector<float> angles_, angles_back_;  // (positions, size)
};

}  // namespace tbt::train
