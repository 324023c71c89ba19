// Models of any size with random weights, for tests and measurements, where only the sizes matter.
//
//   const TransformerConfig config = preset_config("gpt2");
//   Transformer gpt(config, random_weights(config, seed));                     // in memory
//   write_random_model("/tmp/gpt2", config, {seed, WeightType::f16});  // as a directory
//
// The weights are distributed as at the start of training (weight_start()). Each piece of a
// weight has its own stream of random numbers, so the number of threads and the order of reading
// do not matter.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/kernels/weight_type.hpp"
#include "lib/model/model_config.hpp"
#include "lib/model/transformer.hpp"
#include "lib/text/tokenizer.hpp"

namespace tbt {

// The configuration of a known model: gpt2, gpt2-medium, gpt2-large, gpt2-xl, storyteller, sketch,
// smollm2-135m, qwen2.5-0.5b or llama-3.2-1b. Throws Error for another name.
TransformerConfig preset_config(std::string_view name);

// A source of random weights for Transformer's constructor. It uses all cores.
WeightSource random_weights(const TransformerConfig& config, std::uint64_t seed);

// Writes numbers first … first + values.size() − 1 of the weight `name` to `values`.
void fill_random_weight(const TransformerConfig& config, std::uint64_t seed,
                        const std::string& name, std::int64_t first, std::span<float> values);

struct RandomModelOptions {
    std::uint64_t seed = 0;
    WeightType type = WeightType::f32;
    std::string tokenizer = {};  // a directory to copy the tokenizer from; empty: babble_tokenizer
    bool overwrite = false;      // false: Error if the directory already has a model
};

// Writes config.json, generation_config.json, a tokenizer and, last, model.safetensors. It never
// has more than a few megabytes of weights in memory. The ids of bos and eos are the tokenizer's.
void write_random_model(const std::string& directory, TransformerConfig config,
                        const RandomModelOptions& options = {});

// A byte-level tokenizer without merges. Its vocabulary, of at least 257 tokens, is the 256 bytes,
// made-up words (" bado", " kimu", …), which it decodes but never produces when it encodes a text,
// and <|endoftext|> as the last id.
Tokenizer babble_tokenizer(int vocab_size);

}  // namespace tbt
