// A program's frame with all of CLI11, for those that declare their options with it.
// It is slow to compile; lib/machine/command_line.hpp is not.
#pragma once

#include <CLI/CLI.hpp>

#include "lib/error.hpp"
#include "lib/machine/command_line.hpp"
