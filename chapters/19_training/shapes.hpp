// Which architecture a new model has, and how recipes write it down.
#pragma once

#include <string>

#include "lib/machine/json_file.hpp"
#include "lib/model/model_config.hpp"

namespace tbt {

// What an architecture needs besides layers, heads, channels and context.
struct ArchitectureOptions {
    std::string name = "gpt2";  // or "llama"
    int kv_heads = 0;           // Llama: heads of keys and values; 0: as many as heads
    int inner = 0;              // Llama: width of the gated MLP; 0: gated_inner()
};

// Of a gated MLP, whose three matrices (C, F) have about the weights of GPT-2's two of (C, 4C):
// F = 8/3 · C, rounded up to a multiple of 16.
int gated_inner(int channels);

// The shape as the architecture has it, its sizes those of `sizes`. Throws UsageError for an
// unknown name, and for options that are Llama's only.
TransformerConfig shape_of(const ArchitectureOptions& options, const TransformerConfig& sizes);

// Members of a recipe: architecture, kv_heads and inner; none for GPT-2, whose recipes are older.
void add_architecture(const TransformerConfig& shape, OrderedJson& recipe);
// And back; `name` is the recipe's, for messages.
ArchitectureOptions architecture_of(const Json& recipe, const std::string& name);

}  // namespace tbt
