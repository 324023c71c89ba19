// Self-attention for training, on whole sequences: the forward pass, and the backward pass, which
// computes the attention weights again instead of storing them.
#pragma once

#include <cstdint>

#include "lib/core/tensor.hpp"

namespace tbt::train {

struct BatchShape {
    std::int64_t B, T, H, D;  // sequences, tokens of each, query heads, head size
    bool causal = true;       // a token sees itself and those before it; false: all tokens
    std::int64_t K = 0;       // heads of keys and values, a divisor of H; 0: H

    std::int64_t kv_heads() const { return K > 0 ? K : H; }
    // Query head h reads head h / group() of the keys and values [Ainslie et al. 2023, GQA].
    std::int64_t group() const { return H / kv_heads(); }
    // N, the floats of a token in qkv: Q = H · D for queries, then K · D for keys and K · D for
    // values.
    std::int64_t row() const { return (H + 2 * kv_heads()) * D; }

    // The number of keys that token t sees.
    std::int64_t keys_of(std::int64_t t) const { return causal ? t + 1 : T; }
};

// The scratch memory of one thread, small enough for its processor's cache. It grows for a longer
// sequence.
class AttentionScratch {
public:
    void prepare(std::int64_t T, std::int64_t D);
    // T and D rounded up to whole vectors, so that loops need no special last step. The padding is
    // zero.
    std::int64_t Tp = 0, Dp = 0, stride = 0;
    AlignedFloats q, k, v, d_out;        // (Tp, Dp) one head, contiguous; q times 1/√D
    AlignedFloats k_columns, v_columns;  // (Dp, stride) transposed
    AlignedFloats d_q, d_k, d_v;         // (Tp, Dp)
    AlignedFloats scores, d_scores;      // (block_rows, stride)

private:
    std::int64_t T_ = 0, D_ = 0;
};

// out = softmax(mask(q kᵀ / √D)) v for each head. qkv (B, T, N) has q, k and v of all heads side by
// side. stats (B, H, T, 2) gets each row's maximum and 1 / Σ exp, for the backward pass.
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
