// The configuration of a transformer: its sizes and settings, read from config.json and
// generation_config.json as the transformers library writes them. GPT-2's keys are read in
// model_config.cpp, those of today's models in llama_config.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/core/index.hpp"
#include "lib/kernels/weight_type.hpp"
#include "lib/model/architecture.hpp"
#include "lib/model/weight_shapes.hpp"

namespace tbt {

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

    Architecture architecture = {};

    int head_size() const {  // D
        if (architecture.head_size > 0) return architecture.head_size;
        return n_head > 0 ? n_embd / n_head : 0;
    }
    int kv_heads() const { return architecture.kv_heads > 0 ? architecture.kv_heads : n_head; }
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

// Reads DIRECTORY/config.json. If there is a DIRECTORY/generation_config.json, its bos and eos
// replace those of config.json. `directory` may also be a GGUF file (gguf_config.hpp). Throws Error
// if something is missing, has the wrong type or is impossible, and, with their names, for models
// and variants that this library does not support.
TransformerConfig read_model_config(const std::string& directory);

// Reads one config.json of any name, without a generation_config.json.
TransformerConfig read_config_file(const std::string& path);

// Throws Error "NAME: n_embd is 65, expected …" unless all sizes are positive, not absurdly large,
// and fit together.
void check_config(const TransformerConfig& config, const std::string& name);

// For functions that support only GPT-2: throws Error "WHO: … model_type llama, expected gpt2" for
// other models.
void require_gpt2(const TransformerConfig& config, const std::string& who);

}  // namespace tbt
