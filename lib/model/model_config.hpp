// The configuration of a transformer: its sizes, its architecture, the names and shapes of its
// weights, and the memory that it needs. lib/files reads it from config.json or a GGUF file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/core/index.hpp"
#include "lib/core/tensor.hpp"
#include "lib/kernels/weight_type.hpp"

namespace tbt {

// ---- architecture -------------------------------------------------------------------------------
// What differs between models, apart from their sizes: norm, position encoding, MLP and attention.
// All models run through the same code (transformer_network.hpp), which looks here. The defaults
// are GPT-2's.

// Layer norm has a mean and a bias, RMS norm neither.
enum class Norm { layer, rms };
// Where a sub-layer (attention or MLP) is normed: its input, its output before it is added to the
// residual stream, or both.
enum class NormPlace { input, output, both };
// The norm of queries and keys before they are rotated: none, one for each head, or one for all
// heads of a token together.
enum class QueryKeyNorm { none, head, token };
// gelu is the usual approximation by tanh; gelu_erf the definition, x · Φ(x).
// swiglu of gpt-oss: (up + 1) · gate · σ(1.702 · gate), with gate <= limit, |up| <= limit.
enum class Activation { gelu, gelu_erf, silu, limited_swiglu };

// Rotary position embedding, RoPE [Su et al. 2021]: components i and i + r/2 of a query or key are
// rotated by the angle position · f_i, with f_i = θ^(−2i/r). RotaryScaling says how f_i is changed
// for a longer context.
enum class RotaryScaling {
    none,
    linear,    // f_i / factor
    llama3,    // f_i / factor for long wavelengths only, with a smooth transition: rotary.cpp
    yarn,      // the same with another transition [Peng et al. 2023]
    longrope,  // f_i / factor_i, with other factors for long contexts [Ding et al. 2024]
};
struct Rotary {
    double theta = 10000;
    RotaryScaling scaling = RotaryScaling::none;
    double factor = 1;
    // For llama3. A wavelength is the number of positions for one full turn. f_i stays as it is for
    // wavelengths below original_positions / high_frequency_factor, and is divided by `factor` for
    // those above original_positions / low_frequency_factor.
    // For yarn, the numbers of turns within original_positions between which the transition lies.
    double low_frequency_factor = 1, high_frequency_factor = 4;
    int original_positions = 0;
    bool whole_dimensions = true;  // yarn: the transition begins and ends at whole numbers of i
    double amplitude = 1;          // cosines and sines are multiplied by it
    // longrope: r/2 factors each, for contexts up to original_positions, and for longer ones.
    std::vector<double> short_factors = {}, long_factors = {};

    bool operator==(const Rotary&) const = default;
};

// What may differ from layer to layer.
struct LayerKind {
    int window = 0;   // the number of tokens that a position sees, with itself; 0: all up to itself
    int rotary = -1;  // index into Architecture::rotaries; -1: no rotary positions
    bool experts = false;  // a mixture of experts instead of one MLP

    bool operator==(const LayerKind&) const = default;
};

struct Architecture {
    std::string model_type = "gpt2";  // as config.json calls it

    Norm norm = Norm::layer;
    NormPlace norm_place = NormPlace::input;
    bool norm_adds_one = false;  // the weights in files are γ − 1 (Gemma)

    bool learned_positions = true;  // a learned vector for each position is added to the embedding
    int rotary_size = 0;            // r: the first r components of a head are rotated
    std::vector<Rotary> rotaries;
    std::vector<LayerKind> layers;  // one for each layer; empty: every layer is LayerKind{}

    int kv_heads = 0;           // K, heads of keys and values; 0: as many as query heads
    int head_size = 0;          // D; 0: C / H
    float score_scalar = 0.0f;  // attention scores are divided by √score_scalar; 0: by √D
    float score_cap = 0.0f, logit_cap = 0.0f;  // s becomes cap · tanh(s / cap), if not 0 (Gemma 2)
    // A learned score for each head, which takes a share of its attention and gives no value.
    bool sinks = false;
    QueryKeyNorm query_key_norm = QueryKeyNorm::none;

    bool gated = false;  // the MLP is down(act(gate(x)) · up(x)) instead of down(act(up(x)))
    Activation activation = Activation::gelu;
    float activation_limit = 0.0f;  // of limited_swiglu

    // Mixture of experts [Shazeer et al. 2017]: a layer has E MLPs of this width, and a router
    // chooses some of them for each token. Their outputs are added with weights: the softmax of the
    // router's outputs, divided by the sum of the chosen ones if experts_sum_to_one.
    int experts = 0;  // E
    int experts_per_token = 0, expert_inner = 0;
    bool experts_sum_to_one = true;
    bool expert_biases = false;  // of the router and of the experts' matrices

    bool qkv_bias = true, attention_output_bias = true, mlp_bias = true;
    bool fused_weights = false;    // files have q, k, v as one matrix, and gate, up as one (Phi-3)
    bool heads_in_turn = false;    // its rows: q, k, v of head 0, q, k, v of head 1, … (Pythia)
    bool parallel = false;         // the MLP reads the layer's input, as attention does (Pythia)
    float embedding_scale = 1.0f;  // token embeddings are multiplied by it (Gemma, Granite)
    float residual_scale = 1.0f;   // and outputs of sub-layers, before they are added (Granite)
    float logit_scale = 1.0f;      // and logits (Granite)

    bool is_gpt2() const { return model_type == "gpt2"; }
    bool operator==(const Architecture&) const = default;
};

// The model_types other than GPT-2's.
inline constexpr std::string_view other_types[] = {
    "llama", "mistral", "qwen2",   "qwen3",   "gemma2",   "gemma3_text", "smollm3", "olmo2",
    "olmo3", "phi3",    "granite", "gpt_neo", "gpt_neox", "qwen3_moe",   "mixtral", "gpt_oss"};

// ---- configuration ------------------------------------------------------------------------------
// The upper limits for every dimension (a hundred times what the largest models have), and for the
// number of layers.
inline constexpr int largest_size = 1 << 24, max_layers = 65536;

struct TransformerConfig {
    int vocab_size = 0;   // V
    int n_positions = 0;  // the maximum context, in tokens
    int n_embd = 0;       // C
    int n_layer = 0;
    int n_head = 0;   // H, query heads; each has C / H components, or architecture.head_size
    int n_inner = 0;  // F, width of the MLP; 4 · C if the file says null
    float layer_norm_epsilon = 1e-5f;  // of every norm, RMS norms too
    bool tie_word_embeddings = true;   // false: the output matrix is lm_head.weight
    std::optional<int> bos_token_id;
    std::vector<int> eos_token_ids;  // each of them ends a text
    // The type of the stored weights: float32, float16 or bfloat16.
    std::string torch_dtype = "float32";
    // Not from the file: the type of keys and values in caches made for this model, f32 or f16
    // (TransformerOptions::cache).
    WeightType cache_type = WeightType::f32;
    // Nor this: the heads of keys and values in these caches, if several processes share the model
    // (processes.hpp); 0: all.
    int kept_kv_heads = 0;

    Architecture architecture = {};

    int head_size() const {  // D
        if (architecture.head_size > 0) return architecture.head_size;
        return n_head > 0 ? n_embd / n_head : 0;
    }
    int kv_heads() const { return architecture.kv_heads > 0 ? architecture.kv_heads : n_head; }
    int cached_heads() const { return kept_kv_heads > 0 ? kept_kv_heads : kv_heads(); }
    // Components of all queries of a token (H · D), and of all its keys (K · D).
    std::int64_t query_size() const { return std::int64_t{n_head} * head_size(); }
    std::int64_t kv_size() const { return std::int64_t{kv_heads()} * head_size(); }
    LayerKind layer(int i) const {
        return architecture.layers.empty() ? LayerKind{} : architecture.layers.at(index(i));
    }
    bool operator==(const TransformerConfig&) const = default;
};

// A GPT-2 of these sizes with GPT-2's other settings, without special token ids.
TransformerConfig gpt_config(int layers, int heads, int channels, int positions, int vocabulary);

// A Llama of these sizes (RMS norm, rotary positions, SiLU gate, tied output) without special token
// ids, for tests and lessons.
TransformerConfig llama_config(int layers, int heads, int kv_heads, int channels, int inner,
                               int positions, int vocabulary);

// Throws Error "NAME: n_embd is 65, expected …" unless all sizes are positive, not absurdly large,
// and fit together.
void check_config(const TransformerConfig& config, const std::string& name);

// With longrope: a text that stays within so many tokens has other rotary frequencies than a longer
// one, and so other keys. 0 if all texts have the same.
int short_context(const TransformerConfig& config);

// For functions that support only GPT-2: throws Error "WHO: … model_type llama, expected gpt2" for
// other models.
void require_gpt2(const TransformerConfig& config, const std::string& who);

// ---- weights ------------------------------------------------------------------------------------
struct WeightShape {
    std::string name;  // on the Hugging Face hub; GPT-2's without the prefix "transformer."
    // A matrix is (inputs, outputs) in GPT-2 and (outputs, inputs) in all other models. An
    // embedding is (ids, C).
    Shape shape;
};

// All weights of a model with this configuration.
std::vector<WeightShape> weight_shapes(const TransformerConfig& config);

// The number of weights, where tied weights count once. It allocates nothing of the model.
std::int64_t parameter_count(const TransformerConfig& config);

// The initial values of a weight in training [Radford et al. 2019]: normally distributed numbers
// with mean 0 and this standard deviation; if it is 0, the constant. The deviation is 0.02 for
// matrices and token embeddings, 0.01 for positions, and 0.02 / √(2 · layers) for the two
// projections into the residual stream. Biases are 0, and the gains of the norms are 1.
struct WeightStart {
    float constant = 0;
    double deviation = 0;
};
WeightStart weight_start(const TransformerConfig& config, std::string_view name);

// A mixture of experts computes this many rows at a time, so that its buffers stay small.
inline constexpr int expert_rows = 512;

// ---- memory -------------------------------------------------------------------------------------
// Computes how much memory a model needs, from its sizes alone; nothing is loaded.
//
// C channels, F inner width of the MLP, V vocabulary, P positions, L layers; T tokens of context,
// B sequences, b bytes per weight. All results are in bytes. The formulas below are for GPT-2. For
// today's models, N (the width of a token's queries, keys and values together) replaces 3C, and a
// gated MLP has two matrices (C, F) instead of one, and a mixture of experts one such MLP for each
// expert.
struct MemoryPlan {
    std::int64_t matrices = 0;  // L · (4C² + 2CF) · b
    std::int64_t output = 0;    // V · C · b, packed
    // Tables that are read row by row: P · C · 4, and V · C as stored unless the output matrix is
    // used as the embedding, too.
    std::int64_t embeddings = 0;
    std::int64_t vectors = 0;  // biases, gains: (L · (9C + F) + 2C + …) · 4
    std::int64_t cache = 0;    // 2 · L · C · T · B · 4, or 2 as F16, in whole blocks of tokens
    std::int64_t activations = 0;  // R rows in one pass, R the larger of T and B: R · (6C + F) · 4
    std::int64_t logits = 0;       // B · V · 4

    std::int64_t weights() const { return matrices + output + embeddings + vectors; }
    std::int64_t total() const { return weights() + cache + activations + logits; }
};

// The plan for B = `batch` sequences of T = `context` tokens, if prompts of T tokens are read one
// after the other and then the B sequences grow together. Throws Error if the context is below 1 or
// above the model's, or if the batch is below 1. Amounts above 2^60 are given as 2^60.
MemoryPlan plan_memory(const TransformerConfig& config, WeightType type, int context, int batch);

// Throws Error "WHO: …", one line, if `needed` bytes are more than the `available` bytes. If
// `available` is 0 (unknown) or negative, nothing is checked.
void check_memory(const std::string& who, std::int64_t needed, std::int64_t available);

}  // namespace tbt
