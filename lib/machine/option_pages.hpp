// Generates from the declared options of a program: completion scripts for shells, a manual page,
// and suggestions for mistyped names.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace tbt {

// The script for --completion SHELL. `program` is the program's name without a directory. Throws
// UsageError unless the shell is bash, zsh or fish.
std::string completion_script(const OptionTable& app, const std::string& shell,
                              const std::string& program);

// The page for --man, in the language troff, which `man` reads.
std::string manual_page(const OptionTable& app, const std::string& program);

// The option whose name has the smallest edit distance to a mistyped one; empty if none is near.
std::string nearest_option(const OptionTable& app, const std::string& typed);

}  // namespace tbt
