// The command line of all of it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "chapters/10_generate/output.hpp"
#include "chapters/23_text_generator/text_generator.hpp"

namespace tbt {

struct Settings {
    std::vector<std::string> prompts;
    std::string prompt_file;  // one prompt a line
    std::string strategy;     // empty: by the options
    TextOptions options;
    Output output;
    std::string trace_file;            // empty: none
    std::vector<std::string> compare;  // traces that are there, for it
    std::string command;               // as it was typed
    bool chat = false, echo = false;
    std::function<bool(const char* option)> given;  // on the command line
};

void add_options(CLI::App& app, Settings& settings);

// Reads what only the command line has: escapes, names, the prompts of a file. Throws UsageError
// on what contradicts itself.
void complete(Settings& settings);

}  // namespace tbt
