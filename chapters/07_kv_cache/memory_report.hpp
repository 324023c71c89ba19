// Prints how much memory a model needs: computed from its sizes, and measured.
#pragma once

#include <filesystem>

#include "lib/model/transformer.hpp"

namespace tbt {

// Reads only DIRECTORY/config.json and prints the memory for each type of weights. `cache` is the
// type of keys and values. context 0: the model's whole context.
void print_memory_forecast(const std::filesystem::path& directory, WeightType cache, int context,
                           int batch);

// Loads the model, fills `batch` caches with `context` tokens each and prints the allocated memory
// beside the forecast. Throws Error before loading if the machine has too little memory.
void print_memory_used(const std::filesystem::path& directory, const TransformerOptions& options,
                       int context, int batch);

// Prints the memory of a cache, by the formula and in blocks, and how much a fork copies.
void print_cache_memory(const TransformerConfig& config);

}  // namespace tbt
