// Pages about the options of a program: the text of --help, a manual page and completion scripts;
// and suggestions for mistyped names.
#pragma once

#include <string>

#include "lib/machine/command_line.hpp"

namespace tbt {

// The text of --help, or of --help-all.
std::string help_page(const OptionTable& table, bool all);

// The script for --completion SHELL. `program` is the program's name without a directory. Throws
// UsageError unless the shell is bash, zsh or fish.
std::string completion_script(const OptionTable& table, const std::string& shell,
                              const std::string& program);

// The page for --man, in the language troff, which `man` reads.
std::string manual_page(const OptionTable& table, const std::string& program);

// The option whose name has the smallest edit distance to a mistyped one; empty if none is near.
std::string nearest_option(const OptionTable& table, const std::string& typed);

}  // namespace tbt
