// --top-k, declared once for all programs that have it.
#pragma once

#include <string>

#include "lib/machine/command_line.hpp"

namespace tbt {

// A number, or an optional one; `more` is added to its line in --help.
template <class Number>
DeclaredOption top_k_option(CommandLine line, Number& k, const std::string& more = "") {
    return line.option("--top-k", k, "keep the k most probable; 0: all" + more);
}

}  // namespace tbt
