// The sizes and switches of a GPT-2, in config.json and generation_config.json as
// transformers writes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/kernels/tensor.hpp"
#include "lib/kernels/weight_type.hpp"

namespace tbt {

struct GptConfig {
    int vocab_size = 0;   // V
    int n_positions = 0;  // the longest context, in tokens
    int n_embd = 0;       // C
    int n_layer = 0;
    int n_head = 0;   // H; each head has C / H components
    int n_inner = 0;  // width of the feed-forward layer; 4 · C where the file says null
    float layer_norm_epsilon = 1e-5f;
    bool tie_word_embeddings = true;  // false: the output matrix is lm_head.weight
    std::optional<int> bos_token_id;
    std::vector<int> eos_token_ids;  // any of them ends a text
    // How the weights are stored: float32, float16 or bfloat16.
    std::string torch_dtype = "float32";
    // Not of the file: how caches made for this model keep keys and values, f32 or f16
    // (GptOptions::cache).
    WeightType cache_type = WeightType::f32;

    int head_size() const { return n_head > 0 ? n_embd / n_head : 0; }
    bool operator==(const GptConfig&) const = default;
};

// A GPT-2 of these sizes, everything else as GPT-2 has it; no special ids.
GptConfig gpt_config(int layers, int heads, int channels, int positions, int vocabulary);

// Reads DIRECTORY/config.json; bos and eos of DIRECTORY/generation_config.json,
// where there is one, come first. Throws Error on anything missing, mistyped or impossible,
// and on variants of GPT-2 that this library doesn't compute.
GptConfig read_model_config(const std::string& directory);

// The same for one file of any name, without the other.
GptConfig read_config_file(const std::string& path);

// Throws Error "NAME: n_embd is 65, expected …" unless all sizes are positive,
// sane and fit together.
void check_config(const GptConfig& config, const std::string& name);

struct WeightShape {
    std::string name;  // on the hub, without the prefix "transformer."
    Shape shape;       // of matrices (inputs, outputs), of embeddings (ids, C)
};

// All weights of such a model.
std::vector<WeightShape> weight_shapes(const GptConfig& config);

// The number of weights (tied ones once), to be asked before anything is allocated.
std::int64_t parameter_count(const GptConfig& config);

}  // namespace tbt
