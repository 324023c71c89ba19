// Where the weights of a model lie in the block of its parameters, and the linear layers made of
// them. Each family names its weights in its own way; from here on all are the same.
#pragma once

#include <cstdint>
#include <vector>

#include "lib/train/parameters.hpp"
#include "lib/train/train_layers.hpp"

namespace tbt::train {

// Offsets into the blocks of parameters and of gradients. An RMS norm has no bias: −1.
struct NormOffsets {
    std::int64_t gain, bias;
};

// One transformer block.
struct BlockWeights {
    NormOffsets norm_1, norm_2;
    Linear qkv, attention_projection;  // (C, N), (Q, C)
    Linear up, down;                   // (C, F), gated: (C, 2F), gate before up; (F, C)
};

struct ModelWeights {
    std::vector<BlockWeights> blocks;
    NormOffsets last_norm;
    // Tables of (V, C), and (positions, C) where positions are learned, else −1. The head is the
    // embedding where they are tied.
    std::int64_t embedding, head, positions;
};

ModelWeights find_weights(const TransformerConfig& config, const ParameterLayout& layout,
                          Precision precision);

}  // namespace tbt::train
