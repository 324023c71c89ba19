// All parameters of a model in one block of memory, with the names and shapes of the
// Hugging Face files.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lib/kernels/tensor.hpp"
#include "lib/model/model_config.hpp"

namespace tbt::train {

// Throws Error for what cannot be trained here. A GPT-2 or a Llama without biases can, whose C, F
// and sizes of queries and of keys are multiples of 16, the width of a vector; a GPT-2 has
// F = 4 · C, and its ids and logits share one table.
void check_trainable(const TransformerConfig& config);

struct ParameterInfo {
    std::string name;  // "h.0.attn.c_attn.weight"
    Shape shape;       // matrices are (in, out) in GPT-2's files, (out, in) in Llama's
    std::int64_t offset = 0, size = 0;
    bool decay = false;  // weight decay: matrices and embeddings yes, biases and norms no
};

// Where each tensor lies in a block of `total` floats; offsets are multiples of 16,
// the gaps stay zero. Weights, gradients and AdamW's moments are four such blocks.
struct ParameterLayout {
    explicit ParameterLayout(const TransformerConfig& config);
    // Of other tensors than a GPT's: after these, one more.
    ParameterLayout() = default;
    void add(const std::string& name, const Shape& shape);

    // Throws Error for an unknown name.
    const ParameterInfo& operator[](const std::string& name) const;
    std::int64_t count() const;  // parameters, without the gaps

    std::vector<ParameterInfo> tensors;
    std::int64_t total = 0;
};

// The weights that training starts from (lib/model/start_weights.hpp), drawn in the order of
// the layout.
void initialise(std::span<float> parameters, const ParameterLayout& layout,
                const TransformerConfig& config, std::uint64_t seed);

}  // namespace tbt::train
