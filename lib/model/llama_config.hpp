// Reads the config.json of today's models: Llama and those with a similar architecture. Each family
// differs from Llama in a few settings and has its own defaults for missing keys; llama_config.cpp
// lists them. The keys of transformers 4 (rope_theta, rope_scaling) and of transformers 5
// (rope_parameters) are both read.
#pragma once

#include <string>
#include <string_view>

#include "lib/model/model_config.hpp"

namespace tbt {

class ConfigReader;

// True for "llama", "mistral", "qwen2", "qwen3", "gemma3_text", "smollm3", "olmo2" and "phi3".
bool is_llama_family(std::string_view model_type);

// Everything in such a file except the special token ids. Throws Error, one line with the file and
// the key, if something is missing, has the wrong type, contradicts itself or is not supported.
TransformerConfig read_llama_config(const ConfigReader& file, const std::string& model_type);

// Throws Error for an unsupported model_type, with what is supported, and with the reason if there
// is a known one.
[[noreturn]] void refuse_model_type(const ConfigReader& file, const std::string& model_type);

// A Llama of these sizes (RMS norm, rotary positions, SiLU gate, tied output) without special token
// ids, for tests and lessons.
TransformerConfig llama_config(int layers, int heads, int kv_heads, int channels, int inner,
                               int positions, int vocabulary);

}  // namespace tbt
