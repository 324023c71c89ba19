// How much memory a model needs, from its sizes alone: nothing is loaded.
//
// C channels, F the inner width, V vocabulary, P positions, L layers; T tokens of context,
// B sequences, b bytes a weight. The formulas are GPT-2's; of today's models 3C is N, the width of
// a token's queries, keys and values, and a gated MLP has two matrices of width F.
#pragma once

#include <cstdint>

#include "lib/kernels/matmul.hpp"
#include "lib/model/model_config.hpp"

namespace tbt {

struct MemoryPlan {
    std::int64_t matrices = 0;  // L · (4C² + 2CF) · b
    std::int64_t output = 0;    // V · C · b, packed
    // Looked up row by row. P · C · 4, and V · C as stored, where the output matrix rounds it.
    std::int64_t embeddings = 0;
    std::int64_t vectors = 0;  // biases, gains: (L · (9C + F) + 2C + …) · 4
    std::int64_t cache = 0;    // 2 · L · C · T · B · 4, or 2 as F16, in whole blocks of tokens
    std::int64_t activations = 0;  // R rows in one pass, R the larger of T and B: R · (6C + F) · 4
    std::int64_t logits = 0;       // B · V · 4

    std::int64_t weights() const { return matrices + output + embeddings + vectors; }
    std::int64_t total() const { return weights() + cache + activations + logits; }
};

// Prompts of T tokens are read one after the other, then the B sequences grow together.
// Throws Error on a context of less than one token or more than the model has,
// and on a batch below one. Amounts beyond 2^60 are given as 2^60.
MemoryPlan plan_memory(const TransformerConfig& config, WeightType type, int context, int batch);

// Throws Error, one line, when more is needed than the machine has to give. `who` stands in front.
void check_memory(const std::string& who, std::int64_t needed, std::int64_t available);

}  // namespace tbt
