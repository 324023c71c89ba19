// What a command line asks for, written and shown.
#pragma once

#include "chapters/23_text_generator/command_line.hpp"

namespace tbt {

// Continues the prompts, or puts traces that are there into a page.
// Returns the exit status: 130 after Ctrl-C, as a shell has it.
int write(const Settings& settings);

}  // namespace tbt
