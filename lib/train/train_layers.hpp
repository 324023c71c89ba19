// The layers of a transformer for training: forward passes, which store what the backward passes
// need, and backward passes. Llama's own layers are in gated_layers.hpp. A call uses one thread,
// unless it has a Worker; the trainer gives each thread different sequences.
//
// Notation: ∂x (in code d_x) is the gradient of the loss with respect to x. The M rows are the
// tokens of all sequences; C is the number of channels, a multiple of 16. Gradients of parameters
// are added to the old values.
#pragma once

#include <cstdint>

#include "lib/kernels/matmul.hpp"
#include "lib/machine/threads.hpp"

namespace tbt::train {

// x[m] = token_table[ids[m]] + position_table[m mod T]. If positions are not learned,
// position_table is null, and so is d_position_table.
void embed(const std::int32_t* ids, const float* token_table, const float* position_table, float* x,
           std::int64_t M, std::int64_t T, std::int64_t C);

// ∂token_table[ids[m]] += ∂x[m],  ∂position_table[m mod T] += ∂x[m]
void embed_backward(const std::int32_t* ids, const float* d_x, float* d_token_table,
                    float* d_position_table, std::int64_t M, std::int64_t T, std::int64_t C);

// y = (x − mean) · r · gain + bias, r = 1 / √(variance + 1e-5). stats (M, 2) gets the mean and r of
// each row, for the backward pass.
void layer_norm(const float* x, const float* gain, const float* bias, float* y, float* stats,
                std::int64_t M, std::int64_t C);

// ∂x += the gradient through the layer norm; ∂gain += Σ_m ∂y · x̂,  ∂bias += Σ_m ∂y
void layer_norm_backward(const float* x, const float* stats, const float* gain, const float* d_y,
                         float* d_x, float* d_gain, float* d_bias, std::int64_t M, std::int64_t C);

// y = ½ x (1 + tanh(√(2/π) (x + 0.044715 x³))) over n values, a multiple of 16.
void gelu(const float* x, float* y, std::int64_t n);

// Replaces d_y by ∂x = ∂y · gelu′(x).
void gelu_backward(const float* x, float* d_y, std::int64_t n);

// The layout of a linear layer's matrix in memory: (K, N), as in GPT-2's files, or (N, K), with a
// row for each output, as in Llama's.
enum class MatrixOrder { inputs_outputs, outputs_inputs };

// A linear layer y = x · w + b with K inputs and N outputs. w and b (N) are in the block of all
// parameters; their gradients have the same offsets in a block of gradients. w is packed once per
// training step, for the forward and the backward pass.
class Linear {
public:
    static constexpr std::int64_t no_bias = -1;

    Linear() = default;
    Linear(std::int64_t w_offset, std::int64_t b_offset, std::int64_t k, std::int64_t n,
           MatrixOrder order = MatrixOrder::inputs_outputs);

    // Call this after the parameters changed, on every thread of a team; each packs its part.
    void pack(const float* parameters, const Worker& worker);

    void forward(const float* x, float* y, std::int64_t M, const float* parameters) const;

    // ∂x = ∂y · wᵀ
    void backward_input(const float* d_y, float* d_x, std::int64_t M) const;

    // ∂w += xᵀ · ∂y,  ∂b += Σ_m ∂y, summed in the order of the rows. `packed` is
    // scratch memory.
    void backward_weights(const float* x, const float* d_y, std::int64_t M, PackedMatrix& packed,
                          float* gradients) const;

private:
    std::int64_t w_ = 0, b_ = 0, k_ = 0, n_ = 0;
    MatrixOrder order_ = MatrixOrder::inputs_outputs;
    PackedMatrix packed_, packed_transposed_;
};

// Softmax and cross-entropy of logits (M, V): losses[m] = −ln p[target]. If `gradient` is set, the
// logits are replaced by their gradient, (p − onehot(target)) · factor. A row with a negative
// target does not count: its loss and gradient are 0.
void cross_entropy(float* logits, const std::int32_t* targets, double* losses, std::int64_t M,
                   std::int64_t V, float factor, bool gradient);

}  // namespace tbt::train
