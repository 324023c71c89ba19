// What every program of the course shares: options in, one clear line out when something is wrong.
//
//   int main(int argc, char** argv) {
//       std::string prompt = "Once upon a time";
//       return tbt::run_program(argc, argv, "Greedy decoding.",
//           [&](CLI::App& app) { app.add_option("prompt", prompt, "the text to continue"); },
//           [&] { ... });
//   }
//
// Exit status: 0; 1 when the work failed (a bad file, too little memory);
// 2 when the command line is wrong.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "lib/error.hpp"

namespace tbt {

// Prints "PROGRAM: MESSAGE" on stderr and returns the status.
int complain(std::string_view program, std::string_view message, int status);

// options() declares the command line; body() does the work after it was read.
// Compiled once, in program.cpp: CLI11 is large.
int run_program(int argc, char** argv, const std::string& description,
                const std::function<void(CLI::App&)>& options, const std::function<void()>& body);

}  // namespace tbt
