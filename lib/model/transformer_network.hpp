// The inside of a transformer: its weights, and the pass of some rows through them. transformer.cpp
// reads texts with it, one way and with a cache; masked_gpt.cpp canvases, both ways. Which layers
// do what is said by the configuration's Architecture.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/kernels/matmul.hpp"
#include "lib/kernels/tensor.hpp"
#include "lib/machine/files.hpp"
#include "lib/machine/threads.hpp"
#include "lib/model/attention.hpp"
#include "lib/model/transformer.hpp"

namespace tbt {

class Safetensors;

// Weights of one block; shapes in the order (inputs, outputs). C channels, Q = H · D components of
// all queries of a token, N = Q + 2K · D with its keys and values, F = inner size of the
// feed-forward part. What the architecture has not is empty.
struct TransformerBlock {
    Tensor norm1_gamma, norm1_beta;  // (C), of the input of attention
    PackedMatrix qkv, proj;          // (C, N), (Q, C)
    Tensor qkv_bias, proj_bias;      // (N), (C)
    Tensor query_norm, key_norm;     // (D) each; of all heads together: (Q), (K · D)
    Tensor attention_out_gamma;      // (C), of what attention adds
    Tensor norm2_gamma, norm2_beta;  // (C), of the input of the MLP
    PackedMatrix up, down;           // (C, F), gated: (C, 2F), gate before up; (F, C)
    Tensor up_bias, down_bias;       // (F) or (2F), (C)
    Tensor mlp_out_gamma;            // (C), of what the MLP adds
};

// Memory that only grows.
class GrowingBuffer {
public:
    float* get(std::int64_t n) {
        if (n > size_) {
            data_ = allocate_floats(n);
            size_ = n;
        }
        return data_.get();
    }

private:
    AlignedFloats data_;
    std::int64_t size_ = 0;
};

// The rows of one forward pass and the buffers they go through. R rows, L rows that need logits.
struct TransformerPass {
    std::vector<SequenceRows> sequences;
    std::vector<int> tokens, positions;    // (R)
    std::vector<std::int64_t> rows;        // 0 … R−1
    std::vector<std::int64_t> logit_rows;  // (L)
    GrowingBuffer x, normed, qkv, mixed, inner, logits, scratch;
    GrowingBuffer branch;               // (R, C): what a sub-layer adds, where that is normed
    std::vector<GrowingBuffer> angles;  // one a rotary: (R, rotary size), each row's position
};

struct TransformerNetwork {
    // Throws Error for an impossible configuration or a weight of another shape.
    // outputs: the ids that a logit belongs to, the first ones.
    // file: where the source reads from, if it is one; matrices are packed as they lie there.
    TransformerNetwork(const TransformerConfig& config, const WeightSource& source,
                       const TransformerOptions& options, std::int64_t outputs,
                       const Safetensors* file = nullptr);

    TransformerConfig config;
    TransformerOptions options;
    std::int64_t outputs;
    bool both_ways = false;  // a row sees all rows of its sequence, not only those before it
    // (C, V), exactly as stored. Empty where the output matrix is the same in the same bits, and
    // where rows are read from the model's file, which stays mapped: a token needs only its own.
    PackedMatrix token_embedding;
    std::shared_ptr<const MappedFile> embedding_file;
    std::optional<StoredView> embedding_rows;      // (V, C)
    Tensor position_embedding;                     // (positions, C), where positions are learned
    std::vector<std::vector<double>> frequencies;  // (rotaries, rotary size / 2)
    std::vector<TransformerBlock> blocks;
    Tensor norm_gamma, norm_beta;
    PackedMatrix output;  // (C, outputs)
    TransformerPass pass;
    AttentionWatch* watch = nullptr;  // one way only

    int text_ids = 0;  // ids from here on have no text: their logits are −∞; 0: all have one

    void prepare(std::span<const Step> steps);
    void run(const Worker& worker);
    std::int64_t weight_bytes() const;

private:
    void make_buffers();
    void embed(const Worker& worker);
    void run_block(const TransformerBlock& block, int layer, const Worker& worker);
    void run_attention(const TransformerBlock& block, int layer, const Worker& worker);
    void run_mlp(const TransformerBlock& block, const Worker& worker);
    void add_product(const MatrixView& y, const PackedMatrix& w, const Tensor& bias,
                     const Tensor& out_gamma, const Worker& worker);
    void norm_row(const float* x, const Tensor& gamma, const Tensor& beta, float* y) const;
    const float* norm(std::span<const std::int64_t> rows, const Tensor& gamma, const Tensor& beta,
                      const Worker& worker);
    const float* normed_input(const Tensor& gamma, const Tensor& beta, const Worker& worker);
};

}  // namespace tbt
