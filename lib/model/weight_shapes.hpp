// The names and shapes of all weights of a model, as files on the hub have them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/kernels/tensor.hpp"

namespace tbt {

struct TransformerConfig;

struct WeightShape {
    std::string name;  // on the hub; GPT-2's without the prefix "transformer."
    // Of matrices (inputs, outputs) in GPT-2, (outputs, inputs) in all others; of embeddings
    // (ids, C).
    Shape shape;
};

// No model has more.
inline constexpr int most_layers = 65536;

// All weights of such a model.
std::vector<WeightShape> weight_shapes(const TransformerConfig& config);

// The number of weights (tied ones once), to be asked before anything is allocated.
std::int64_t parameter_count(const TransformerConfig& config);

}  // namespace tbt
