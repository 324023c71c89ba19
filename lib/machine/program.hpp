// command_line.hpp with all of CLI11, for programs that declare their options with CLI11 directly.
// It is slow to compile.
#pragma once

#include <CLI/CLI.hpp>

#include "lib/core/error.hpp"
#include "lib/machine/command_line.hpp"
