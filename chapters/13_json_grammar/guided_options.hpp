// The options of chapters 13 to 16 for the text that a model writes under a mask.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chapters/06_combining/dialects.hpp"
#include "lib/machine/command_line.hpp"

namespace tbt {

struct GuidedOptions {
    std::string prompt, model;
    std::string figure, html, trace_file;  // empty: none
    std::string command;                   // as it was typed, for a page
    SamplingOptions sampling;
    int max_new_tokens = 60, shown = 8;  // steps
    std::uint64_t seed = 1;

    GuidedOptions(std::string beginning, std::uint64_t seed);
    // The prompt, --temperature, --max-new-tokens, …; returns what it declared.
    std::vector<DeclaredOption> declare(CommandLine line);
};

}  // namespace tbt
