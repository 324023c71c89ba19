// Options that the programs of many chapters have, each declared in one place: what stands in
// --help and which values are taken is the same everywhere. `where` says which part looks at one
// (" in part 4").
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lib/machine/command_line.hpp"

namespace tbt {

DeclaredOption prompt_option(CommandLine line, std::string& prompt, const std::string& where = "");
DeclaredOption length_option(CommandLine line, int& max_new_tokens, const std::string& where = "");
DeclaredOption length_option(CommandLine line, std::optional<int>& max_new_tokens);
DeclaredOption seed_option(CommandLine line, std::uint64_t& seed);
DeclaredOption seed_option(CommandLine line, std::optional<std::uint64_t>& seed);
DeclaredOption model_option(CommandLine line, std::string& directory,
                            const std::string& where = "");
// One of so many parts, 0 for all; `note` says which of them need no model, say.
DeclaredOption part_option(CommandLine line, int& part, int parts, const std::string& note = "");
// "write WHAT as a picture (SVG)"
DeclaredOption figure_option(CommandLine line, std::string& file, const std::string& what);

}  // namespace tbt
