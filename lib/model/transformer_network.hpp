// The inside of a transformer: its weights, and the forward pass of a batch of rows.
// Transformer uses it for texts, with causal attention and a KV cache; MaskedGpt uses it with
// bidirectional attention. TransformerConfig::architecture says what each layer does.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "lib/core/tensor.hpp"
#include "lib/kernels/matmul.hpp"
#include "lib/machine/threads.hpp"
#include "lib/model/attention.hpp"
#include "lib/model/experts.hpp"
#include "lib/model/processes.hpp"
#include "lib/model/transformer.hpp"

namespace tbt {

// The weights of one layer. Shapes are (inputs, outputs), with C channels, Q = H · D components of
// all queries of a token, N = Q + 2K · D components of its queries, keys and values, and F the
// inner width of the MLP. Weights that the architecture does not have are empty.
// If several processes run the model, each has its part of the outputs of each matrix and its
// bias, of its heads' sinks, and of the experts.
struct TransformerBlock {
    Tensor norm1_gamma, norm1_beta;  // (C), norm of the input of attention
    PackedMatrix qkv, proj;          // (C, N), (Q, C)
    Tensor qkv_bias, proj_bias;      // (N), (C)
    Tensor sinks;                    // (H)
    Tensor query_norm, key_norm;     // (D) each; for QueryKeyNorm::token (Q), (K · D)
    Tensor attention_out_gamma;      // (C), norm of the output of attention
    Tensor norm2_gamma, norm2_beta;  // (C), norm of the input of the MLP
    PackedMatrix up, down;           // (C, F), or (C, 2F) if gated: gate, then up; (F, C)
    Tensor up_bias, down_bias;       // (F) or (2F), (C)
    Tensor mlp_out_gamma;            // (C), norm of the output of the MLP
    // A mixture of experts, instead of up and down: its router (C, E), and the MLP of each expert.
    struct Expert {
        PackedMatrix up, down;
        Tensor up_bias, down_bias;
    };
    PackedMatrix router;
    Tensor router_bias;
    std::vector<Expert> experts;
};

// A scratch buffer whose memory only grows. get(n) returns at least n floats; their content is
// undefined after it has grown.
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

// The buffers of a mixture of experts. A row and one of its k experts are a pair; pairs are sorted
// by expert. At most expert_rows rows at a time: P = rows · k pairs.
struct ExpertPass {
    GrowingBuffer scores;                  // (rows, E): the router's outputs
    std::vector<ChosenExpert> chosen;      // (rows, k), in order of their numbers
    std::vector<std::int64_t> places;      // (rows, k): the place of each pair when sorted
    std::vector<std::int64_t> first;       // (E + 1): the place of each expert's first pair
    GrowingBuffer inputs, inner, outputs;  // (P, C), (P, 2F), (P, C), sorted by expert
};

// The rows of one forward pass and its buffers. R rows, of which L need logits.
struct TransformerPass {
    std::vector<SequenceRows> sequences;
    std::vector<int> tokens, positions;    // (R)
    std::vector<int> contexts;             // (R): how long the row's text may become
    std::vector<std::int64_t> rows;        // 0 … R−1
    std::vector<std::int64_t> logit_rows;  // (L)
    GrowingBuffer x, normed, qkv, mixed, inner, logits, scratch;
    GrowingBuffer branch;     // (R, C): the output of a sub-layer, if it is normed
    GrowingBuffer mlp_input;  // (R, C): if attention and MLP read the same rows
    GrowingBuffer gathered;   // (R, Q) or (R, F): what all processes have computed
    ExpertPass experts;
    std::vector<GrowingBuffer> angles;  // for each rotary (R, rotary size): rotary_angles() of rows
};

struct TransformerNetwork {
    // Throws Error if the configuration is impossible or a weight has another shape.
    // outputs: the number of logits; ids 0 … outputs − 1 have one.
    TransformerNetwork(const TransformerConfig& config, const WeightSource& source,
                       const TransformerOptions& options, std::int64_t outputs);
    TransformerNetwork(const TransformerConfig& config, const WeightStore& weights,
                       const TransformerOptions& options, std::int64_t outputs);

    TransformerConfig config;
    TransformerOptions options;
    std::int64_t outputs;
    bool bidirectional = false;  // bidirectional attention: a row sees all rows of its sequence
    // (C, V), exactly as stored. Empty if the output matrix has the same bits, or if the embedding
    // is read from the model's file, which then stays mapped: a pass needs only its tokens' rows.
    // A tied embedding beside matrices in 4 bits is the output matrix, which has 8 bits. A process
    // that has only a part of that rounds the rows that it reads.
    PackedMatrix token_embedding;
    bool rounds_embedding = false;
    std::shared_ptr<const void> embedding_file;
    std::optional<StoredView> embedding_rows;   // (V, C)
    std::optional<BlockRows> embedding_blocks;  // the same, if it is stored in blocks
    // (positions, C), if positions are learned: here, or in the file if several processes share the
    // model.
    Tensor position_embedding;
    std::optional<WeightStore::Stored> position_rows;
    std::vector<std::vector<double>> frequencies;       // (rotaries, rotary size / 2)
    std::vector<std::vector<double>> long_frequencies;  // for contexts > original_positions
    std::vector<TransformerBlock> blocks;
    Tensor norm_gamma, norm_beta;
    PackedMatrix output;  // (C, outputs)
    TransformerPass pass;
    AttentionWatch* watch = nullptr;  // with causal attention only
    ExpertWatch* expert_watch = nullptr;

    // What each process computes; one part, the whole, if this process is alone.
    std::vector<ModelPart> parts;
    ModelPart part;  // this process's
    int own_heads() const { return to_int(part.heads.end - part.heads.begin); }
    int own_kv_heads() const { return to_int(part.kv_heads.end - part.kv_heads.begin); }
    std::int64_t own_inner() const { return part.inner.end - part.inner.begin; }

    std::set<int> kept_pools;  // by the processes that follow this one
    int text_ids = 0;          // if above 0: the logits of all ids >= text_ids are −∞

    void prepare(std::span<const Step> steps);
    void announce_pass();
    void run(const Worker& worker);
    std::int64_t weight_bytes() const;

private:
    void check_followed();
    void make_buffers();
    void gather(float* matrix, std::int64_t rows, Range ModelPart::*range, std::int64_t unit,
                const Worker& worker);
    MatrixView gathered(float* own, std::int64_t rows, std::int64_t stride, Range ModelPart::*range,
                        std::int64_t unit, const Worker& worker);
    void embed(const Worker& worker);
    void run_block(const TransformerBlock& block, int layer, const Worker& worker);
    void run_attention(const TransformerBlock& block, int layer, const Worker& worker);
    void run_mlp(const TransformerBlock& block, const float* normed, const Worker& worker);
    void run_experts(const TransformerBlock& block, const float* normed, const Worker& worker);
    void add_experts(const TransformerBlock& block, const float* normed, std::int64_t begin,
                     std::int64_t rows, const Worker& worker);
    void gather_experts(std::int64_t pairs, const Worker& worker);
    void gate(float* inner, std::int64_t rows, std::int64_t f, const Worker& worker) const;
    void add_product(const MatrixView& y, const PackedMatrix& w, const Tensor& bias,
                     const Tensor& out_gamma, const Worker& worker);
    void norm_row(const float* x, const Tensor& gamma, const Tensor& beta, float* y) const;
    void norm_heads(float* own, std::int64_t stride, const Tensor& gamma, Range ModelPart::*range,
                    const Worker& worker);
    const float* norm(std::span<const std::int64_t> rows, const Tensor& gamma, const Tensor& beta,
                      const Worker& worker);
    const float* normed_input(const Tensor& gamma, const Tensor& beta, const Worker& worker);
};

// Sets all weights of a network whose config, options and outputs are set: finds them by their
// names on the hub and packs them. Throws Error if a weight is missing or has another shape.
void load_weights(TransformerNetwork& network, const WeightStore& weights);

}  // namespace tbt
