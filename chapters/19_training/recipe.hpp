// What recipes and checkpoints say in JSON of a model's architecture, and of the earlier plans of a
// training run.
#pragma once

#include <string>
#include <vector>

#include "chapters/19_training/training.hpp"
#include "lib/json/json.hpp"
#include "lib/model/model_config.hpp"

namespace tbt {

// The options of an architecture besides layers, heads, channels and context.
struct ArchitectureOptions {
    std::string name = "gpt2";  // or "llama"
    int kv_heads = 0;           // Llama: heads of keys and values; 0: as many as heads
    int inner = 0;              // Llama: width of the gated MLP; 0: 8/3 of the channels
};

// The configuration with this architecture and the sizes of `sizes`. Throws UsageError for an
// unknown name, and for Llama's options with another architecture.
TransformerConfig shape_of(const ArchitectureOptions& options, const TransformerConfig& sizes);

// Adds the members architecture, kv_heads and inner to a recipe; none for GPT-2, whose recipes are
// older.
void add_architecture(const TransformerConfig& shape, Json& recipe);
// Reads them again; `name` is the recipe's name, for messages.
ArchitectureOptions architecture_of(const Json& recipe, const std::string& name);

// Converts the earlier plans of a training run (training.hpp) to and from JSON.
Json earlier_plans_json(const std::vector<EarlierPlan>& plans);
// Throws JsonError if `list` is not a list of plans, and Error with `file` if a step does not
// fit.
std::vector<EarlierPlan> earlier_plans_of(const Json& list, const std::string& file);

}  // namespace tbt
