// What makes one transformer another than GPT-2, sizes apart. All run through the same code
// (transformer_network.hpp), which asks here which norm, which positions, which MLP and which
// attention a model has. The defaults are GPT-2's; config.json says the rest (llama_config.hpp).
#pragma once

#include <string>
#include <vector>

namespace tbt {

// Layer norm has a mean and a bias, RMS norm neither.
enum class Norm { layer, rms };
// What of a sub-layer (attention, MLP) is normed: its input, its output before it is added,
// or both.
enum class NormPlace { input, output, both };
// A norm of the queries and keys before they are rotated: none, one for each head, or one for all
// heads of a token together.
enum class QueryKeyNorm { none, head, token };
enum class Activation { gelu, silu };

// Rotary positions [Su et al. 2021]: components i and i + r/2 of a query or key are turned by the
// angle position · f_i, with f_i = θ^(−2i/r).
enum class RotaryScaling {
    none,
    linear,  // f / factor
    llama3,  // long waves only, a smooth passage between: see rotary_frequencies
};
struct Rotary {
    double theta = 10000;
    RotaryScaling scaling = RotaryScaling::none;
    double factor = 1;
    // llama3: waves shorter than original_positions / high_frequency_factor stay as they are, those
    // longer than original_positions / low_frequency_factor are divided.
    double low_frequency_factor = 1, high_frequency_factor = 4;
    int original_positions = 0;

    bool operator==(const Rotary&) const = default;
};

// Where layers differ from each other.
struct LayerKind {
    int window = 0;   // a position sees so many tokens, itself included; 0: all up to itself
    int rotary = -1;  // index into Architecture::rotaries; -1: none

    bool operator==(const LayerKind&) const = default;
};

struct Architecture {
    std::string model_type = "gpt2";  // as config.json calls it

    Norm norm = Norm::layer;
    NormPlace norm_place = NormPlace::input;
    bool norm_adds_one = false;  // files hold γ − 1 (Gemma)

    bool learned_positions = true;  // a row for each position is added to the embedding
    int rotary_size = 0;            // r, the components of a head that are rotated, the first ones
    std::vector<Rotary> rotaries;
    std::vector<LayerKind> layers;  // one a layer; none: every layer is LayerKind{}

    int kv_heads = 0;           // K, heads of keys and values; 0: as many as query heads
    int head_size = 0;          // D; 0: C / H
    float score_scalar = 0.0f;  // attention scores are divided by its root; 0: D
    QueryKeyNorm query_key_norm = QueryKeyNorm::none;

    bool gated = false;  // down(act(gate(x)) · up(x)) instead of down(act(up(x)))
    Activation activation = Activation::gelu;

    bool qkv_bias = true, attention_output_bias = true, mlp_bias = true;
    bool fused_weights = false;    // files hold q, k, v in one matrix, and gate and up (Phi-3)
    float embedding_scale = 1.0f;  // the embedding of a token is multiplied with it (Gemma)

    bool is_gpt2() const { return model_type == "gpt2"; }
    bool operator==(const Architecture&) const = default;
};

}  // namespace tbt
