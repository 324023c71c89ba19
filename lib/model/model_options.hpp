// The command-line options for loading a model, shared by all programs that have them.
#pragma once

#include <string>

#include "lib/machine/command_line.hpp"
#include "lib/model/transformer.hpp"

namespace tbt {

// The values as the user gave them: the type of the weights in memory ("stored": as in the file),
// the type of the KV cache, and the number of threads (0: the default).
struct ModelOptions {
    std::string weights = "stored", cache = "f32";
    int threads = 0;
};

// Declares --weights, --cache and --threads.
void loading_options(CommandLine line, ModelOptions& options);

// Converts them for Transformer::load(). Throws UsageError for a value that is not allowed.
TransformerOptions transformer_options(const ModelOptions& options);

}  // namespace tbt
