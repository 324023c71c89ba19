// The command line of the text generator, and which of its techniques can be combined.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "chapters/10_generate/tools/output.hpp"
#include "chapters/23_text_generator/text_generator.hpp"
#include "lib/model/attention.hpp"

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
    // Was it given on the command line?
    std::function<bool(const char* option)> given = [](const char*) { return false; };
};

// Adds the options of a text that every caller may set: not those for files to write or a model.
void add_text_options(OptionTable& app, Settings& settings);
// Adds these, and the options for prompts, output and the model.
void add_options(OptionTable& app, Settings& settings);

// Resolves what only the command line has: escapes, names, the prompts of a file. Throws UsageError
// for contradictions.
void complete(Settings& settings);

// ---- which techniques can be combined: the lesson's table as code ----

// Throws UsageError, in one line, for two options that cannot be combined.
void check_combination(const TextOptions& options, std::size_t prompts = 1);

// A line for each given option that changes nothing (chapter 10, options.hpp).
std::vector<std::string> without_effect(const TextOptions& options);

// "2.5" is head 5 of layer 2. Throws UsageError for anything else, or if it cannot be watched.
AttentionWatch watch_of(const TextOptions& options);

}  // namespace tbt
