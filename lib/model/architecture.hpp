// The architecture of a transformer, apart from its sizes: which norm, position encoding, MLP and
// attention it has. All models run through the same code (transformer_network.hpp), which looks
// here for what differs. The defaults are GPT-2's; for other models they are set from config.json
// (llama_config.hpp).
#pragma once

#include <string>
#include <vector>

namespace tbt {

// Layer norm has a mean and a bias, RMS norm neither.
enum class Norm { layer, rms };
// Where a sub-layer (attention or MLP) is normed: its input, its output before it is added to the
// residual stream, or both.
enum class NormPlace { input, output, both };
// The norm of queries and keys before they are rotated: none, one for each head, or one for all
// heads of a token together.
enum class QueryKeyNorm { none, head, token };
enum class Activation { gelu, silu };

// Rotary position embedding, RoPE [Su et al. 2021]: components i and i + r/2 of a query or key are
// rotated by the angle position · f_i, with f_i = θ^(−2i/r). RotaryScaling says how f_i is changed
// for a longer context.
enum class RotaryScaling {
    none,
    linear,  // f_i / factor
    llama3,  // f_i / factor for long wavelengths only, with a smooth transition: see rotary.cpp
};
struct Rotary {
    double theta = 10000;
    RotaryScaling scaling = RotaryScaling::none;
    double factor = 1;
    // For llama3. A wavelength is the number of positions for one full turn. f_i stays as it is for
    // wavelengths below original_positions / high_frequency_factor, and is divided by `factor` for
    // those above original_positions / low_frequency_factor.
    double low_frequency_factor = 1, high_frequency_factor = 4;
    int original_positions = 0;

    bool operator==(const Rotary&) const = default;
};

// What may differ from layer to layer.
struct LayerKind {
    int window = 0;   // the number of tokens that a position sees, with itself; 0: all up to itself
    int rotary = -1;  // index into Architecture::rotaries; -1: no rotary positions

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
    QueryKeyNorm query_key_norm = QueryKeyNorm::none;

    bool gated = false;  // the MLP is down(act(gate(x)) · up(x)) instead of down(act(up(x)))
    Activation activation = Activation::gelu;

    bool qkv_bias = true, attention_output_bias = true, mlp_bias = true;
    bool fused_weights = false;    // files have q, k, v as one matrix, and gate, up as one (Phi-3)
    float embedding_scale = 1.0f;  // token embeddings are multiplied by it (Gemma)

    bool is_gpt2() const { return model_type == "gpt2"; }
    bool operator==(const Architecture&) const = default;
};

}  // namespace tbt
