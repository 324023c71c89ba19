// Runs the command line: generates the requested texts and shows them.
#pragma once

#include "chapters/23_text_generator/command_line.hpp"

namespace tbt {

// Continues the prompts, or makes a page of existing traces. Returns the exit status: 130 after
// Ctrl-C, as a shell does.
int write(const Settings& settings);

}  // namespace tbt
