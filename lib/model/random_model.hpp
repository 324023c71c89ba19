// A GPT-2 of any shape with random weights: for tests and measurements, where the sizes
// matter and not the text.
//
//   const GptConfig config = preset_config("gpt2");
//   Gpt gpt(config, random_weights(config, seed));                     // in memory
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
#include "lib/model/gpt.hpp"
#include "lib/model/model_config.hpp"
#include "lib/text/tokenizer.hpp"

namespace tbt {

// Sizes by name: gpt2, gpt2-medium, gpt2-large, gpt2-xl, storyteller, sketch.
// Throws Error for another name.
GptConfig preset_config(std::string_view name);

// For Gpt's constructor. Uses all cores.
WeightSource random_weights(const GptConfig& config, std::uint64_t seed);

// Values first … first + values.size() − 1 of the weight called `name`.
void fill_random_weight(const GptConfig& config, std::uint64_t seed, const std::string& name,
                        std::int64_t first, std::span<float> values);

struct RandomModelOptions {
    std::uint64_t seed = 0;
    WeightType type = WeightType::f32;
    std::string tokenizer = {};  // a directory to copy the tokenizer from; none: babble_tokenizer
    bool overwrite = false;      // a directory that holds a model already is refused otherwise
};

// Writes config.json, generation_config.json, a tokenizer and, last of all, model.safetensors;
// never holds more than a few megabytes of weights. The ids of bos and eos are the tokenizer's.
void write_random_model(const std::string& directory, GptConfig config,
                        const RandomModelOptions& options = {});

// A byte-level tokenizer without merges, of any size from 257 on:
// the 256 bytes, words of syllables (" bado", " kimu", …) that only a model writes,
// and <|endoftext|> as the last id.
Tokenizer babble_tokenizer(int vocab_size);

}  // namespace tbt
