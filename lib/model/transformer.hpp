// A transformer: token embeddings, a stack of blocks of attention and MLP, an output matrix.
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
//   Mistral, Qwen, Gemma 3, …:    as Llama, with the differences that architecture.hpp lists
//
// Logits are the same to the last bit whether tokens come one at a time or together,
// with a cache or without, alone or in a batch, and with any number of threads.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/index.hpp"
#include "lib/kernels/matmul.hpp"
#include "lib/kernels/tensor.hpp"
#include "lib/model/attention.hpp"
#include "lib/model/kv_cache.hpp"
#include "lib/model/model_config.hpp"

namespace tbt {

struct TransformerOptions {
    int threads = 0;  // 0: default_threads()
    std::optional<WeightType> weights =
        {};  // how the matrices are kept in memory; none: as they are stored
    WeightType cache = WeightType::f32;  // how keys and values are kept: f32 or f16
};

// Gives a weight by its name on the hub (without the "transformer." prefix),
// with the shape expected of it.
using WeightSource = std::function<Tensor(const std::string& name, const Shape& shape)>;

// New tokens of one sequence. Its cache grows by them.
//
// Of a tree (chapter 21) the tokens are guesses of how the text may go on: token i follows token
// parents[i] < i, or the cache where that is −1. Each sees its ancestors only, at the positions
// they would have if its branch were the text, and gets the bits that it would get there. The cache
// keeps none of them until KvCache::keep says which branch it was.
struct Step {
    KvCache* cache = nullptr;
    std::span<const int> tokens;
    bool all_logits = false;            // for every token, not only the last one
    std::span<const int> parents = {};  // of a tree; empty: each token follows the one before it
};

[[noreturn]] void refuse_row(std::int64_t row, std::int64_t rows);

// Rows of logits inside the model's workspace, valid until its next forward pass.
// In a batch the rows of the first step come first: one row a step, or one a token
// where it asked for all.
struct Logits {
    std::span<const float> values;  // (rows, V)
    std::int64_t rows = 0;
    std::span<const float> states = {};  // (rows, C): what the output matrix was multiplied with

    // Throws Error where there is no such row.
    std::span<const float> row(std::int64_t r) const {
        if (r < 0 || r >= rows) refuse_row(r, rows);
        const std::size_t v = values.size() / index(rows);
        return values.subspan(index(r) * v, v);
    }
    std::span<const float> last() const { return row(rows - 1); }
};

class Transformer {
public:
    Transformer(const TransformerConfig& config, const WeightSource& source,
                const TransformerOptions& options = {});
    ~Transformer();
    Transformer(Transformer&&) noexcept;
    Transformer& operator=(Transformer&&) noexcept;

    // Reads a model directory: config.json, model.safetensors (or shards); or a GGUF file.
    static Transformer load(const std::filesystem::path& directory,
                            const TransformerOptions& options = {});

    const TransformerConfig& config() const;
    int threads() const;
    std::int64_t weight_bytes() const;  // as kept in memory

    // Runs new tokens of one sequence; logits (V) of the last one.
    // Errors: an id outside the vocabulary, no tokens, more tokens than the context holds.
    std::span<const float> forward(KvCache& cache, std::span<const int> tokens);
    // The same with logits for every new token: (T, V).
    Logits forward_all(KvCache& cache, std::span<const int> tokens);
    // Several sequences in one pass; no cache may occur twice.
    Logits forward(std::span<const Step> steps);

    // From now on each pass leaves here what one head looked at, until told otherwise (nullptr).
    // Throws Error where there is no such head. The watch must outlive it.
    void watch(AttentionWatch* watch);

    // From now on the logits of ids from `count` on are −∞: those that the tokenizer has no text
    // for, where a model's vocabulary is rounded up. Throws Error unless 1 <= count <= V.
    void mask_ids_from(int count);

private:
    struct State;
    explicit Transformer(std::unique_ptr<State> state);
    State& state() const;  // throws Error where the model was moved away
    std::unique_ptr<State> state_;
};

// From when GPT-2 was the only one.
using Gpt = Transformer;
using GptOptions = TransformerOptions;

}  // namespace tbt
