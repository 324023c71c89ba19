// A model of any shape with random weights: for tests and measurements, where the sizes matter
// and not the text.
//
//   const TransformerConfig config = preset_config("gpt2");
//   Transformer gpt(config, random_weights(config, seed));                     // in memory
//   write_random_model("/tmp/gpt2", config, {seed, WeightType::f16});  // as a directory
//
// The weights are those that training starts from (start_weights.hpp). Each piece of a weight has
// a stream of random numbers of its own, so that neither threads nor the order of reading
// change a bit.
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

// Sizes by name: gpt2, gpt2-medium, gpt2-large, gpt2-xl, storyteller, sketch; smollm2-135m,
// qwen2.5-0.5b, llama-3.2-1b.
// Throws Error for another name.
TransformerConfig preset_config(std::string_view name);

// For Transformer's constructor. Uses all cores.
WeightSource random_weights(const TransformerConfig& config, std::uint64_t seed);

// Values first … first + values.size() − 1 of the weight called `name`.
void fill_random_weight(const TransformerConfig& config, std::uint64_t seed,
                        const std::string& name, std::int64_t first, std::span<float> values);

struct RandomModelOptions {
    std::uint64_t seed = 0;
    WeightType type = WeightType::f32;
    std::string tokenizer = {};  // a directory to copy the tokenizer from; none: babble_tokenizer
    bool overwrite = false;      // a directory that holds a model already is refused otherwise
};

// Writes config.json, generation_config.json, a tokenizer and, last of all, model.safetensors;
// never holds more than a few megabytes of weights. The ids of bos and eos are the tokenizer's.
void write_random_model(const std::string& directory, TransformerConfig config,
                        const RandomModelOptions& options = {});

// A byte-level tokenizer without merges, of any size from 257 on:
// the 256 bytes, words of syllables (" bado", " kimu", …) that only a model writes,
// and <|endoftext|> as the last id.
Tokenizer babble_tokenizer(int vocab_size);

}  // namespace tbt
