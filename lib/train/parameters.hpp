// The layout of all parameters of a model in one block of memory, with their names and shapes in
// files on the Hugging Face hub.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lib/core/tensor.hpp"
#include "lib/model/model_config.hpp"

namespace tbt::train {

// Throws Error if this model cannot be trained here. It must be a GPT-2, or a Llama without biases.
// C, F and the sizes of queries and of keys must be multiples of 16, the width of a vector. A GPT-2
// must have F = 4 · C and tied embeddings.
void check_trainable(const TransformerConfig& config);

struct ParameterInfo {
    std::string name;  // "h.0.attn.c_attn.weight"
    Shape shape;       // matrices are (in, out) in GPT-2's files, (out, in) in Llama's
    std::int64_t offset = 0, size = 0;
    bool decay = false;  // weight decay: true for matrices and embeddings, not for biases and norms
    bool layer = false;  // a matrix of a layer, which Muon can update
};

// The position of each tensor in a block of `total` floats. Offsets are multiples of 16, and the
// gaps between tensors stay zero. Weights, gradients and AdamW's two moments are four such blocks.
struct ParameterLayout {
    explicit ParameterLayout(const TransformerConfig& config);
    // For other tensors than a model's: begins with an empty layout; add() appends a tensor.
    ParameterLayout() = default;
    void add(const std::string& name, const Shape& shape);

    // Throws Error for an unknown name.
    const ParameterInfo& operator[](const std::string& name) const;
    std::int64_t count() const;  // the number of parameters, without the gaps

    std::vector<ParameterInfo> tensors;
    std::int64_t total = 0;
};

// Sets the initial weights of training (lib/model/model_config.hpp). Random numbers are drawn in
// the order of the layout.
void initialise(std::span<float> parameters, const ParameterLayout& layout,
                const TransformerConfig& config, std::uint64_t seed);

}  // namespace tbt::train
