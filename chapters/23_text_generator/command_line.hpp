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

// What a text can be asked for, whoever asks: no files to write, no model to open.
void add_text_options(CLI::App& app, TextOptions& options, std::string& strategy);
// These, the prompts, what is shown and the model.
void add_options(CLI::App& app, Settings& settings);

// Reads what only the command line has: escapes, names, the prompts of a file. Throws UsageError
// on what contradicts itself.
void complete(Settings& settings);

}  // namespace tbt
