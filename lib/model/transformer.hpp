// A transformer language model: token embeddings, layers of attention and MLP, an output matrix.
// [Layout and weight names as on the Hugging Face hub]
//
//   GPT-2 [Radford et al. 2019]:  x = wte[token] + wpe[position]
//     for each layer:             x += proj(attend(qkv(norm(x))))
//                                 x += down(gelu(up(norm(x))))
//                                 logits = norm(x) · wteᵀ
//   Llama [Touvron et al. 2023]:  x = embed[token]
//     for each layer:             x += o(attend(rotate(qkv(norm(x)))))
//                                 x += down(silu(gate(norm(x))) · up(norm(x)))
//                                 logits = norm(x) · head
//   Mistral, Qwen, Gemma 3, …:    as Llama, with the differences in Architecture
//
// Logits are the same to the last bit whether tokens are given one at a time or together, with a
// cached beginning or without, alone or in a batch, and with any number of threads.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/core/rows.hpp"
#include "lib/core/tensor.hpp"
#include "lib/kernels/matmul.hpp"
#include "lib/model/attention.hpp"
#include "lib/model/kv_cache.hpp"
#include "lib/model/model_config.hpp"
#include "lib/quantized/block_matrix.hpp"

namespace tbt {

class Processes;  // processes.hpp

struct TransformerOptions {
    int threads = 0;  // 0: default_threads()
    // The type of the matrices in memory; none: f32, or that of the file (lib/files fills it in).
    std::optional<WeightType> weights = {};
    WeightType cache = WeightType::f32;  // the type of keys and values in the cache: f32 or f16
    Processes* processes = nullptr;      // those that run this model together; null: this one alone
};

// A function that returns a weight, given its name on the hub (without the prefix "transformer.")
// and the shape that it must have.
using WeightSource = std::function<Tensor(const std::string& name, const Shape& shape)>;

// The same for the weights in a model's files (lib/files), which can be packed without a copy.
// Functions throw Error, with the weight's name, if it is missing, broken or of another shape.
class WeightStore {
public:
    virtual ~WeightStore() = default;
    // The weight as floats, as a WeightSource returns it.
    virtual Tensor read(const std::string& name, const Shape& shape) const = 0;
    // The matrix as it is stored, to be packed or read row by row; valid while `owner` is kept. It
    // may have numbers that are not finite: read() then says which one. None if the matrix must be
    // restored first.
    struct Stored {
        StoredView view;
        std::shared_ptr<const void> owner;
    };
    virtual std::optional<Stored> stored(const std::string&, const Shape&) const { return {}; }
    // The matrix, if it is stored in blocks.
    virtual std::optional<BlockRows> blocks(const std::string&, const Shape&) const { return {}; }
    // The matrix (inputs, outputs), if it is stored in this type of 8 or 4 bits. Of an embedding,
    // the output matrix (C, V).
    virtual std::optional<PackedMatrix> packed(const std::string&, const Shape&, WeightType,
                                               int /*threads*/) const {
        return {};
    }
    // The weight's pages are not needed in memory any more.
    virtual void forget(const std::string& /*name*/) const {}
};

// New tokens of one sequence. They are appended to its cache.
//
// If `parents` is given, the tokens are a tree of drafts, several possible continuations of the
// text (chapter 21): token i follows token parents[i] < i, or the cached text if parents[i] is −1.
// Each token sees the cached text, its ancestors and itself. Its logits have the same bits as if
// its branch were the text. The cache keeps none of the tokens until KvCache::commit() selects a
// branch.
struct Step {
    KvCache* cache = nullptr;
    std::span<const int> tokens;
    bool all_logits = false;            // logits for every token, not only for the last one
    std::span<const int> parents = {};  // empty: each token follows the one before it
};

struct ExpertWatch;  // experts.hpp

class Transformer {
public:
    using Cache = KvCache;

    Transformer(const TransformerConfig& config, const WeightSource& source,
                const TransformerOptions& options = {});
    Transformer(const TransformerConfig& config, const WeightStore& weights,
                const TransformerOptions& options = {});
    ~Transformer();
    Transformer(Transformer&&) noexcept;
    Transformer& operator=(Transformer&&) noexcept;

    const TransformerConfig& config() const;
    int threads() const;
    std::int64_t weight_bytes() const;  // bytes of the weights in memory

    // Runs new tokens of one sequence through the model. Returns the logits (V) of the last one.
    // Throws Error if an id is outside the vocabulary, if there are no tokens, or if there are more
    // than the context has room for.
    std::span<const float> forward(KvCache& cache, std::span<const int> tokens);
    // The same; returns the logits of every new token: (T, V).
    Logits forward_all(KvCache& cache, std::span<const int> tokens);
    // The same for several sequences in one pass. Each must have its own cache. The result has the
    // rows of the first step first: one row for each step, or one for each token if all_logits is
    // set.
    Logits forward(std::span<const Step> steps);

    // In a process that another one leads (processes.hpp): runs a pass that it has sent.
    void follow(std::span<const int> pass);

    // From now on each pass records the attention weights of one head in *watch, which must live
    // until watch(nullptr) or the end of the model. Throws Error if there is no such layer or head.
    void watch(AttentionWatch* watch);
    // The same for the experts that the tokens take. Other models' layers have none.
    void watch_experts(ExpertWatch* watch);

    // From now on the logits of all ids >= count are −∞. Models often have more ids than their
    // tokenizer, for a round number. Throws Error unless 1 <= count <= V.
    void mask_ids_from(int count);

private:
    struct State;
    explicit Transformer(std::unique_ptr<State> state);
    State& state() const;  // throws Error if the model was moved from
    std::unique_ptr<State> state_;
};

}  // namespace tbt
