// Declares the option --penalty-scope for all programs that have it.
#pragma once

#include "lib/machine/command_line.hpp"

namespace tbt {

// scope: a std::string or an optional one; scope_named() parses it.
template <class Text>
DeclaredOption penalty_scope_option(CommandLine line, Text& scope) {
    return line.option("--penalty-scope", scope,
                       "tokens that penalties look at: generated, all or last-N (last-64)");
}

}  // namespace tbt
