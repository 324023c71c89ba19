// --penalty-scope, declared once for all programs that have it.
#pragma once

#include "lib/machine/command_line.hpp"

namespace tbt {

// A text, or an optional one, for scope_named().
template <class Text>
DeclaredOption penalty_scope_option(CommandLine line, Text& scope) {
    return line.option("--penalty-scope", scope,
                       "tokens that penalties look at: generated, all or last-64");
}

}  // namespace tbt
