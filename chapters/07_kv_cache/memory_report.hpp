// What a model needs in memory: forecast from its sizes, and measured.
#pragma once

#include <filesystem>

#include "lib/model/transformer.hpp"

namespace tbt {

// Reads DIRECTORY/config.json, nothing else, and prints what each type of weights would take.
// cache: how keys and values are kept. context 0: all of it.
void print_memory_forecast(const std::filesystem::path& directory, WeightType cache, int context,
                           int batch);

// Loads the model, fills `batch` caches up to `context` tokens and prints what was allocated beside
// the forecast. Refuses before loading when the machine has not that much memory.
void print_memory_used(const std::filesystem::path& directory, const TransformerOptions& options,
                       int context, int batch);

// The cache alone: formula and blocks, and what a fork copies.
void print_cache_memory(const TransformerConfig& config);

}  // namespace tbt
