// What every program of the course shares: options in, one clear line out when something is wrong.
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
// Exit status: 0; 1 when the work failed (a bad file, too little memory);
// 2 when the command line is wrong.
//
// CLI11's header takes seconds to compile; that is paid in a few .cpp files only.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/machine/declared_options.hpp"

namespace tbt {

// Reads words, without a program's name, as run_program() does, then calls body(), while there are
// still options. A UsageError says what is wrong.
void read_command_line(const std::vector<std::string>& words,
                       const std::function<void(CLI::App&)>& options,
                       const std::function<void()>& body = {});

// A command line as a shell takes it back.
std::string shell_line(int argc, const char* const* argv);

// Prints "PROGRAM: MESSAGE" on stderr and returns the status.
int complain(std::string_view program, std::string_view message, int status);

// The day of the release, for --version; as in CITATION.cff.
inline constexpr const char* release = "2026-11-20";

// options() declares the command line; body() does the work after it was read. Every program also
// has --version, --man (a manual page) and --completion SHELL (bash, zsh or fish).
// Underscores in names of options are read as hyphens, as transformers writes them.
//
// renamed(words), if any, gives the words of the command line names that are declared.
using Renaming = std::function<std::vector<std::string>(std::vector<std::string>)>;
int run_program(int argc, char** argv, const std::string& description,
                const std::function<void(CLI::App&)>& options, const std::function<void()>& body,
                const Renaming& renamed = {});

}  // namespace tbt
