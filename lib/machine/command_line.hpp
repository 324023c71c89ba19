// The frame of every program of the course: it reads the options, does the work, and prints one
// clear line if something is wrong.
//
//   int main(int argc, char** argv) {
//       std::string prompt = "Once upon a time";
//       return tbt::run_program(argc, argv, "Greedy decoding.",
//           [&](CommandLine line) {
//               line.option("prompt", prompt, "the text to continue").shows_default();
//           },
//           [&] { ... });
//   }
//
// The exit status is 0, or 1 if the work failed (a bad file, too little memory), or 2 if the
// command line is wrong.
//
// CLI11's header takes seconds to compile, so only a few .cpp files include it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/machine/declared_options.hpp"

namespace tbt {

// Reads the words of a command line (without the program's name) as run_program() does, then calls
// body(), during which the declared options still exist. Throws UsageError if a word is wrong.
void read_command_line(const std::vector<std::string>& words,
                       const std::function<void(OptionTable&)>& options,
                       const std::function<void()>& body = {});

// A command line as one line for a shell, with quotes where needed.
std::string shell_line(int argc, const char* const* argv);

// Prints "PROGRAM: MESSAGE" on stderr and returns the status.
int complain(std::string_view program, std::string_view message, int status);

// The date of the release, for --version; the same as in CITATION.cff.
inline constexpr const char* release = "2026-11-20";

// options() declares the options; body() does the work after the command line was read. Every
// program also has --version, --man (a manual page) and --completion SHELL (bash, zsh or fish).
// Underscores in names of options (as in transformers) are read as hyphens.
//
// renamed(words), if given, replaces words of the command line by the names of declared options.
using Renaming = std::function<std::vector<std::string>(std::vector<std::string>)>;
int run_program(int argc, char** argv, const std::string& description,
                const std::function<void(OptionTable&)>& options, const std::function<void()>& body,
                const Renaming& renamed = {});

}  // namespace tbt
