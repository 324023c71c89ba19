// The layers of a GPT for training: forward passes that keep what the backward passes need, and the backward
// passes.
//
// Notation: ∂x is the gradient of the loss with respect to x, in code d_x. M rows are tokens (of all
// sequences), C channels. Every thread calls the same functions. "Rows" functions do the given rows and need
// only those; "columns" functions sum over all rows, each thread for its own columns (so the sum's order
// never depends on the number of threads); the caller syncs before them.
#pragma once

#include <cstdint>

#include "../matmul.hpp"
#include "../threads.hpp"

namespace tbt::train {

// x[m] = token_table[ids[m]] + position_table[m mod T]
void embedding_rows(const std::int32_t* ids, const float* token_table, const float* position_table, float* x,
                    std::int64_t T, std::int64_t C, Range rows);

// ∂token_table[ids[m]] += ∂x[m],  ∂position_table[m mod T] += ∂x[m]
void embedding_backward_columns(const std::int32_t* ids, const float* d_x, float* d_token_table,
                                float* d_position_table, std::int64_t M, std::int64_t T, std::int64_t C,
                                const Worker& worker);

// y = (x − mean) · r · gain + bias, r = 1 / √(variance + 1e-5); stats (M, 2) keeps mean and r of each row.
void layer_norm_rows(const float* x, const float* gain, const float* bias, float* y, float* stats,
                     std::int64_t C, Range rows);

// d_x += the gradient through the layer norm.
void layer_norm_backward_rows(const float* x, const float* stats, const float* gain, const float* d_y,
                              float* d_x, std::int64_t C, Range rows);

// ∂gain += Σ_m ∂y · x̂,  ∂bias += Σ_m ∂y
void layer_norm_backward_columns(const float* x, const float* stats, const float* d_y, float* d_gain,
                                 float* d_bias, std::int64_t M, std::int64_t C, const Worker& worker);

// y = ½ x (1 + tanh(√(2/π) (x + 0.044715 x³))) over n values, a multiple of 16.
void gelu(const float* x, float* y, std::int64_t n);

// d_y becomes ∂x = ∂y · gelu′(x), in place.
void gelu_backward(const float* x, float* d_y, std::int64_t n);

// y = x · w + b with w (K, N), packed once a step for both directions.
class Linear {
public:
    Linear() = default;
    Linear(const float* w, const float* b, float* d_w, float* d_b, std::int64_t k, std::int64_t n);

    // After the weights changed. The caller syncs before the next use.
    void pack(const Worker& worker);

    void forward_rows(const float* x, float* y, Range rows) const;

    // ∂x = ∂y · wᵀ (or ∂x += …)
    void backward_rows(const float* d_y, float* d_x, Range rows, bool accumulate = false) const;

    // ∂w += xᵀ · ∂y and ∂b += Σ_m ∂y, in the order of the rows; packs ∂y into `packed`, which the team
    // shares. Syncs once inside, and does not read d_y or b after that.
    void backward_columns(const float* x, const float* d_y, std::int64_t M, PackedMatrix& packed,
                          const Worker& worker) const;

private:
    const float *w_ = nullptr, *b_ = nullptr;
    float *d_w_ = nullptr, *d_b_ = nullptr;
    std::int64_t k_ = 0, n_ = 0;
    PackedMatrix packed_, packed_transposed_;
};

// d_b[n] += Σ_m d_y[m, n]
void column_sums(const float* d_y, float* d_b, std::int64_t M, std::int64_t N, const Worker& worker);

// Softmax and cross-entropy of rows of logits (·, V), `stride` apart:
// losses[m] = −ln p[target]; with gradient: logits become (p − onehot(target)) · factor.
// A negative target does not count: loss and gradient are 0.
void cross_entropy_rows(float* logits, std::int64_t stride, const std::int32_t* targets, double* losses,
                        std::int64_t V, float factor, bool gradient, Range rows);

}  // namespace tbt::train
