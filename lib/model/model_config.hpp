// The sizes and switches of a transformer, in config.json and generation_config.json as
// transformers writes them: of a GPT-2 here, of today's models in llama_config.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/index.hpp"
#include "lib/kernels/weight_type.hpp"
#include "lib/model/architecture.hpp"
#include "lib/model/weight_shapes.hpp"

namespace tbt {

struct TransformerConfig {
    int vocab_size = 0;   // V
    int n_positions = 0;  // the longest context, in tokens
    int n_embd = 0;       // C
    int n_layer = 0;
    int n_head = 0;   // H, heads of queries; each has C / H components unless the architecture says
    int n_inner = 0;  // width of the feed-forward layer; 4 · C where the file says null
    float layer_norm_epsilon = 1e-5f;  // of an RMS norm, too
    bool tie_word_embeddings = true;   // false: the output matrix is lm_head.weight
    std::optional<int> bos_token_id;
    std::vector<int> eos_token_ids;  // any of them ends a text
    // How the weights are stored: float32, float16 or bfloat16.
    std::string torch_dtype = "float32";
    // Not of the file: how caches made for this model keep keys and values, f32 or f16
    // (TransformerOptions::cache).
    WeightType cache_type = WeightType::f32;

    Architecture architecture = {};

    int head_size() const {  // D
        if (architecture.head_size > 0) return architecture.head_size;
        return n_head > 0 ? n_embd / n_head : 0;
    }
    int kv_heads() const { return architecture.kv_heads > 0 ? architecture.kv_heads : n_head; }
    std::int64_t query_size() const { return std::int64_t{n_head} * head_size(); }  // of a token
    std::int64_t kv_size() const { return std::int64_t{kv_heads()} * head_size(); }
    LayerKind layer(int i) const {
        return architecture.layers.empty() ? LayerKind{} : architecture.layers.at(index(i));
    }
    bool operator==(const TransformerConfig&) const = default;
};

using GptConfig = TransformerConfig;

// A GPT-2 of these sizes, everything else as GPT-2 has it; no special ids.
TransformerConfig gpt_config(int layers, int heads, int channels, int positions, int vocabulary);

// Reads DIRECTORY/config.json; bos and eos of DIRECTORY/generation_config.json,
// where there is one, come first. Or what a GGUF file says (gguf_config.hpp). Throws Error on
// anything missing, mistyped or impossible, and, by name, on models and variants that this library
// doesn't compute.
TransformerConfig read_model_config(const std::string& directory);

// The same for one file of any name, without the other.
TransformerConfig read_config_file(const std::string& path);

// Throws Error "NAME: n_embd is 65, expected …" unless all sizes are positive,
// sane and fit together.
void check_config(const TransformerConfig& config, const std::string& name);

// Throws Error "WHO: … model_type llama, expected gpt2" for what only GPT-2 can be asked.
void require_gpt2(const TransformerConfig& config, const std::string& who);

}  // namespace tbt
