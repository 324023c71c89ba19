// The part of a config.json that says what each layer does: rotary positions and windows.
#pragma once

#include <string_view>

#include "lib/model/model_config.hpp"

namespace tbt {

class ConfigReader;

// What transformers assumes where a key is absent; 0 for head_dim: C / H, for kv_heads: H, for
// window (sliding_window): none.
struct LlamaFamily {
    std::string_view model_type;
    int kv_heads, head_dim;
    double epsilon, theta;
    bool tied;
    int window;
};

// Both fill in the config's architecture, of which the sizes are known. Throw Error for what is
// missing, contradicts itself or isn't computed here.
void read_llama_rotaries(const ConfigReader& file, const LlamaFamily& family,
                         TransformerConfig& config);
void read_llama_layers(const ConfigReader& file, const LlamaFamily& family,
                       TransformerConfig& config);

}  // namespace tbt
