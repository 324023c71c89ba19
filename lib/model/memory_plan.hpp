// Computes how much memory a model needs, from its sizes alone; nothing is loaded.
//
// C channels, F inner width of the MLP, V vocabulary, P positions, L layers; T tokens of context,
// B sequences, b bytes per weight. All results are in bytes. The formulas below are for GPT-2. For
// today's models, N (the width of a token's queries, keys and values together) replaces 3C, and a
// gated MLP has two matrices (C, F) instead of one.
#pragma once

#include <cstdint>

#include "lib/kernels/matmul.hpp"
#include "lib/model/model_config.hpp"

namespace tbt {

struct MemoryPlan {
    std::int64_t matrices = 0;  // L · (4C² + 2CF) · b
    std::int64_t output = 0;    // V · C · b, packed
    // Tables that are read row by row: P · C · 4, and V · C as stored unless the output matrix is
    // used as the embedding, too.
    std::int64_t embeddings = 0;
    std::int64_t vectors = 0;  // biases, gains: (L · (9C + F) + 2C + …) · 4
    std::int64_t cache = 0;    // 2 · L · C · T · B · 4, or 2 as F16, in whole blocks of tokens
    std::int64_t activations = 0;  // R rows in one pass, R the larger of T and B: R · (6C + F) · 4
    std::int64_t logits = 0;       // B · V · 4

    std::int64_t weights() const { return matrices + output + embeddings + vectors; }
    std::int64_t total() const { return weights() + cache + activations + logits; }
};

// The plan for B = `batch` sequences of T = `context` tokens, if prompts of T tokens are read one
// after the other and then the B sequences grow together. Throws Error if the context is below 1 or
// above the model's, or if the batch is below 1. Amounts above 2^60 are given as 2^60.
MemoryPlan plan_memory(const TransformerConfig& config, WeightType type, int context, int batch);

// Throws Error "WHO: …", one line, if `needed` bytes are more than the `available` bytes. If
// `available` is 0 (unknown) or negative, nothing is checked.
void check_memory(const std::string& who, std::int64_t needed, std::int64_t available);

}  // namespace tbt
