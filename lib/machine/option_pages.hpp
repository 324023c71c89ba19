// What is made from a command line's declarations besides --help: scripts that complete its options
// in a shell, a manual page, and the nearest name to one that does not exist.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace tbt {

// For --completion SHELL. Throws UsageError unless the shell is bash, zsh or fish.
// program: the name by which it is called, without a directory.
std::string completion_script(const CLI::App& app, const std::string& shell,
                              const std::string& program);

// For --man: a page in the troff language that `man` reads.
std::string manual_page(const CLI::App& app, const std::string& program);

// The option whose name is nearest to a mistyped one, by edit distance; empty: none is near.
std::string nearest_option(const CLI::App& app, const std::string& typed);

}  // namespace tbt
