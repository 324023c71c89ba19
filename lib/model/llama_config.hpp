// config.json of today's models: Llama and those built like it. Each family differs from Llama in a
// few places; which, and what holds where a key is absent, is what llama_config.cpp knows.
// Keys as of transformers 4 (rope_theta, rope_scaling) and 5 (rope_parameters) are read.
#pragma once

#include <string>
#include <string_view>

#include "lib/model/model_config.hpp"

namespace tbt {

class ConfigReader;

// "llama", "mistral", "qwen2", "qwen3", "gemma3_text", "smollm3", "olmo2" or "phi3".
bool is_llama_family(std::string_view model_type);

// Everything of such a file but the special ids. Throws Error, one line with the file and the key,
// for what is missing, mistyped, contradicts itself or isn't computed here.
TransformerConfig read_llama_config(const ConfigReader& file, const std::string& model_type);

// Throws Error for a model_type that is neither GPT-2 nor of the family: why, where that is known,
// and what is supported.
[[noreturn]] void refuse_model_type(const ConfigReader& file, const std::string& model_type);

// A plain Llama of these sizes (RMS norm, rotary positions, SiLU gate, tied output), for tests and
// lessons; no special ids.
TransformerConfig llama_config(int layers, int heads, int kv_heads, int channels, int inner,
                               int positions, int vocabulary);

}  // namespace tbt
