// Reads from config.json what may differ from layer to layer: rotary positions and sliding windows.
#pragma once

#include <string_view>

#include "lib/model/model_config.hpp"

namespace tbt {

class ConfigReader;

// The values that the transformers library assumes for missing keys, for one family of models.
// 0 means: kv_heads is H, head_dim is C / H, there is no sliding window.
struct LlamaFamily {
    std::string_view model_type;
    int kv_heads, head_dim;
    double epsilon, theta;
    bool tied;
    int window;
};

// These two set config.architecture; the sizes in `config` must be set before. They throw Error if
// something is missing, contradicts itself or is not supported.
void read_llama_rotaries(const ConfigReader& file, const LlamaFamily& family,
                         TransformerConfig& config);
void read_llama_layers(const ConfigReader& file, const LlamaFamily& family,
                       TransformerConfig& config);

}  // namespace tbt
