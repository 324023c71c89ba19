// Self-attention for training: whole sequences forward, and backward by recomputing the weights.
#pragma once

#include <cstdint>

#include "lib/kernels/tensor.hpp"
#include "lib/train/factor.hpp"

namespace tbt::train {

struct BatchShape {
    std::int64_t B, T, H, D;  // batch, tokens, heads of queries, head size
    bool causal = true;       // a token looks back only; false: at the whole sequence
    std::int64_t K = 0;       // heads of keys and values, a divisor of H; 0: H

    std::int64_t kv_heads() const { return K > 0 ? K : H; }
    // Query head h reads head h / group() of the keys and values [Ainslie et al. 2023, GQA].
    std::int64_t group() const { return H / kv_heads(); }
    // N, the floats of a token in qkv: Q = H · D of queries, then K · D each of keys and values.
    std::int64_t row() const { return (H + 2 * kv_heads()) * D; }

    // The keys that token t sees.
    std::int64_t keys_of(std::int64_t t) const { return causal ? t + 1 : T; }
};

struct BlockProduct;  // block_multiply.hpp

// Scratch of one thread, in its nearest cache; grows when a longer sequence comes.
class AttentionScratch {
public:
    explicit AttentionScratch(Precision precision = Precision::f32) : precision_(precision) {}
    // In the scratch's precision.
    void multiply(const BlockProduct& product);

    void prepare(std::int64_t T, std::int64_t D);
    // Rounded up to whole vectors, so that loops need no tails; the padding is zero.
    std::int64_t Tp = 0, Dp = 0, stride = 0;
    AlignedFloats q, k, v, d_out;        // (Tp, Dp) one head, contiguous; q times 1/√D
    AlignedFloats k_columns, v_columns;  // (Dp, stride) transposed
    AlignedFloats d_q, d_k, d_v;         // (Tp, Dp)
    AlignedFloats scores, d_scores;      // (block_rows, stride)

private:
    Precision precision_;
    Bf16Left left_;
    Bf16Right right_;
    std::int64_t T_ = 0, D_ = 0;
};

// out = softmax(mask(q kᵀ / √D)) v per head; qkv (B, T, N) holds q, k and v of all heads side by
// side. stats (B, H, T, 2) keeps each row's maximum and 1 / Σ exp for the backward pass.
void attention_forward(const float* qkv,  // (B, T, N)
                       float* out,        // (B, T, Q)
                       float* stats,      // (B, H, T, 2)
                       const BatchShape& shape, AttentionScratch& scratch);

void attention_backward(const float* qkv,    // (B, T, N)
                        const float* out,    // (B, T, Q)
                        const float* stats,  // (B, H, T, 2)
                        const float* d_out,  // (B, T, Q)
                        float* d_qkv,        // (B, T, N)
                        const BatchShape& shape, AttentionScratch& scratch);

}  // namespace tbt::train
