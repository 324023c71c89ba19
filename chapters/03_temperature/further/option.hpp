// --temperature, declared once for all programs that have it.
#pragma once

#include <string>

#include "lib/machine/command_line.hpp"

namespace tbt {

// A number, or an optional one; `more` is added to its line in --help.
template <class Number>
DeclaredOption temperature_option(CommandLine line, Number& T, const std::string& more = "") {
    return line.option("--temperature", T, "0 is greedy; below 1 sharper, above 1 wilder" + more);
}

}  // namespace tbt
