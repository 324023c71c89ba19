// Finds the weights of a model in the block of its parameters and makes linear layers of them.
// GPT-2 and Llama have different names for their weights; after this step the code is the same for
// both.
#pragma once

#include <cstdint>
#include <vector>

#include "lib/train/parameters.hpp"
#include "lib/train/train_layers.hpp"

namespace tbt::train {

// Offsets in the blocks of parameters and of gradients. The bias is −1 for an RMS norm, which has
// none.
struct NormOffsets {
    std::int64_t gain, bias;
};

// The weights of one layer.
struct BlockWeights {
    NormOffsets norm_1, norm_2;
    Linear qkv, attention_projection;  // (C, N), (Q, C)
    Linear up, down;                   // (C, F), gated: (C, 2F), gate before up; (F, C)
};

struct ModelWeights {
    std::vector<BlockWeights> blocks;
    NormOffsets last_norm;
    // Offsets of the tables (V, C), (V, C) and (positions, C). head is equal to embedding if they
    // are tied; positions is −1 if positions are not learned.
    std::int64_t embedding, head, positions;
};

ModelWeights find_weights(const TransformerConfig& config, const ParameterLayout& layout);

}  // namespace tbt::train
