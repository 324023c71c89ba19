// How a model is opened, as options of a command line, for every program that has them.
#pragma once

#include <string>

#include "lib/machine/command_line.hpp"
#include "lib/model/transformer.hpp"

namespace tbt {

struct ModelOptions {
    std::string weights = "stored", cache = "f32";
    int threads = 0;
};

// --weights --cache --threads
void loading_options(CommandLine line, ModelOptions& options);

// The same for Transformer::load. Throws UsageError on impossible ones.
TransformerOptions gpt_options(const ModelOptions& options);

}  // namespace tbt
