// The inside of a GPT: its weights, and the pass of some rows through them. gpt.cpp reads texts
// with it, one way and with a cache; masked_gpt.cpp canvases, both ways.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "lib/kernels/matmul.hpp"
#include "lib/kernels/tensor.hpp"
#include "lib/machine/threads.hpp"
#include "lib/model/attention.hpp"
#include "lib/model/gpt.hpp"

namespace tbt {

class Safetensors;

// Weights of one block; shapes in the order (inputs, outputs). C channels, F = inner size of the
// feed-forward part.
struct GptBlock {
    Tensor norm1_gamma, norm1_beta;  // (C)
    PackedMatrix qkv, proj;          // (C, 3C), (C, C)
    Tensor qkv_bias, proj_bias;
    Tensor norm2_gamma, norm2_beta;
    PackedMatrix up, down;  // (C, F), (F, C)
    Tensor up_bias, down_bias;
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
struct GptPass {
    std::vector<SequenceRows> sequences;
    std::vector<int> tokens, positions;    // (R)
    std::vector<std::int64_t> rows;        // 0 … R−1
    std::vector<std::int64_t> logit_rows;  // (L)
    GrowingBuffer x, normed, qkv, mixed, inner, logits, scratch;
};

struct GptNetwork {
    // Throws Error for an impossible configuration or a weight of another shape.
    // outputs: the ids that a logit belongs to, the first ones.
    // file: where the source reads from, if it is one; matrices are packed as they lie there.
    GptNetwork(const GptConfig& config, const WeightSource& source, const GptOptions& options,
               std::int64_t outputs, const Safetensors* file = nullptr);

    GptConfig config;
    GptOptions options;
    std::int64_t outputs;
    bool both_ways = false;  // a row sees all rows of its sequence, not only those before it
    // (C, V), exactly as stored; empty where the output matrix is the same in the same bits.
    PackedMatrix token_embedding;
    Tensor position_embedding;  // (positions, C)
    std::vector<GptBlock> blocks;
    Tensor norm_gamma, norm_beta;
    PackedMatrix output;  // (C, outputs)
    GptPass pass;
    AttentionWatch* watch = nullptr;  // one way only

    void prepare(std::span<const Step> steps);
    void run(const Worker& worker);
    void run_block(const GptBlock& block, int layer, const Worker& worker);
    const float* norm(std::span<const std::int64_t> rows, const Tensor& gamma, const Tensor& beta,
                      const Worker& worker);
    std::int64_t weight_bytes() const;
};

}  // namespace tbt
