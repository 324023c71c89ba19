// How a model is opened, as options of a command line, for every program that has them.
#pragma once

#include <string>

#include "lib/machine/command_line.hpp"
#include "lib/model/gpt.hpp"

namespace tbt {

struct ModelOptions {
    std::string weights = "stored", cache = "f32";
    int threads = 0;
};

// --weights --cache --threads
void loading_options(CommandLine line, ModelOptions& options);

// The same for Gpt::load. Throws UsageError on impossible ones.
GptOptions gpt_options(const ModelOptions& options);

}  // namespace tbt
