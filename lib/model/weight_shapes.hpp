// The names and shapes of all weights of a model, as in the files on the Hugging Face hub.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/core/tensor.hpp"

namespace tbt {

struct TransformerConfig;

struct WeightShape {
    std::string name;  // on the hub; GPT-2's without the prefix "transformer."
    // A matrix is (inputs, outputs) in GPT-2 and (outputs, inputs) in all other models. An
    // embedding is (ids, C).
    Shape shape;
};

// The upper limit for the number of layers.
inline constexpr int max_layers = 65536;

// All weights of a model with this configuration.
std::vector<WeightShape> weight_shapes(const TransformerConfig& config);

// The number of weights, where tied weights count once. It allocates nothing of the model.
std::int64_t parameter_count(const TransformerConfig& config);

}  // namespace tbt
