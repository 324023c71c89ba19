// Self-attention for training: whole sequences forward, and backward by recomputing the weights.
#pragma once

#include <cstdint>

#include "lib/kernels/tensor.hpp"
#include "lib/train/factor.hpp"

namespace tbt::train {

struct BatchShape {
    std::int64_t B, T, H, D;  // batch, tokens, heads, head size; C = H · D
    bool causal = true;       // a token looks back only; false: at the whole sequence

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

// out = softmax(mask(q kᵀ / √D)) v per head; qkv (B, T, 3C) holds q, k and v of all heads side by
// side. stats (B, H, T, 2) keeps each row's maximum and 1 / Σ exp for the backward pass.
void attention_forward(const float* qkv,  // (B, T, 3C)
                       float* out,        // (B, T, C)
                       float* stats,      // (B, H, T, 2)
                       const BatchShape& shape, AttentionScratch& scratch);

void attention_backward(const float* qkv,    // (B, T, 3C)
                        const float* out,    // (B, T, C)
                        const float* stats,  // (B, H, T, 2)
                        const float* d_out,  // (B, T, C)
                        float* d_qkv,        // (B, T, 3C)
                        const BatchShape& shape, AttentionScratch& scratch);

}  // namespace tbt::train
