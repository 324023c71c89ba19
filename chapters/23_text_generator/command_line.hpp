// The command line of the text generator.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "chapters/10_generate/output.hpp"
#include "chapters/23_text_generator/text_generator.hpp"

namespace tbt {

struct Settings {
    std::vector<std::string> prompts;
    std::string prompt_file;  // one prompt in each line
    std::string strategy;     // empty: the other options decide
    TextOptions options;
    Output output;
    std::string trace_file;            // empty: none
    std::vector<std::string> compare;  // existing traces to show on a page
    std::string command;               // the command line as typed
    bool chat = false, echo = false;
    std::function<bool(const char* option)> given;  // was it given on the command line?
};

// Adds the options of a text that every caller may set: not those for files to write or a model.
void add_text_options(OptionTable& app, TextOptions& options, std::string& strategy);
// Adds these, and the options for prompts, output and the model.
void add_options(OptionTable& app, Settings& settings);

// Resolves what only the command line has: escapes, names, the prompts of a file. Throws UsageError
// for contradictions.
void complete(Settings& settings);

}  // namespace tbt
