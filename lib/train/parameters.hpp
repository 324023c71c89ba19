// All parameters of a GPT-2 in one block of memory, with the names and shapes of the
// Hugging Face files.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lib/kernels/tensor.hpp"

namespace tbt::train {

struct ModelShape {
    std::int64_t layers = 6;         // L
    std::int64_t heads = 6;          // H
    std::int64_t channels = 192;     // C, a multiple of 16 and of H
    std::int64_t context = 512;      // the most tokens of a sequence
    std::int64_t vocabulary = 4096;  // V

    // Throws Error for a shape that cannot be trained.
    void check() const;
    bool operator==(const ModelShape&) const = default;
};

struct ParameterInfo {
    std::string name;  // "h.0.attn.c_attn.weight"
    Shape shape;       // matrices are (in, out), as GPT-2's files have them
    std::int64_t offset = 0, size = 0;
    bool decay = false;  // weight decay: matrices and embeddings yes, biases and layer norms no
};

// Where each tensor lies in a block of `total` floats; offsets are multiples of 16,
// the gaps stay zero. Weights, gradients and AdamW's moments are four such blocks.
struct ParameterLayout {
    explicit ParameterLayout(const ModelShape& shape);

    const ParameterInfo& operator[](
        const std::string& name) const;  // throws Error for an unknown name
    std::int64_t count() const;          // parameters, without the gaps

    std::vector<ParameterInfo> tensors;
    std::int64_t total = 0;
};

// GPT-2's start [Radford et al. 2019]: weights N(0, 0.02), positions N(0, 0.01),
// the two projections into the residual stream divided by √(2L), biases 0, gains 1.
// Drawn in the order of the layout.
void initialise(std::span<float> parameters, const ParameterLayout& layout, const ModelShape& shape,
                std::uint64_t seed);

}  // namespace tbt::train
