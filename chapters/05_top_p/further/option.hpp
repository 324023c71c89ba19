// --top-p, declared once for all programs that have it.
#pragma once

#include <string>

#include "lib/machine/command_line.hpp"

namespace tbt {

// A number, or an optional one; `more` is added to its line in --help.
template <class Number>
DeclaredOption top_p_option(CommandLine line, Number& p, const std::string& more = "") {
    return line.option("--top-p", p,
                       "keep the fewest tokens whose probabilities sum to p; 1: all" + more);
}

}  // namespace tbt
