// The options that the programs of many chapters have. Each is declared here once, so its help and
// its allowed values are the same everywhere. `where` is added to the help and says which part of
// the program uses it (" in part 4").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/machine/command_line.hpp"

namespace tbt {

DeclaredOption prompt_option(CommandLine line, std::string& prompt, const std::string& where = "");
DeclaredOption length_option(CommandLine line, int& max_new_tokens, const std::string& where = "");
DeclaredOption length_option(CommandLine line, std::optional<int>& max_new_tokens);
DeclaredOption seed_option(CommandLine line, std::uint64_t& seed);
DeclaredOption seed_option(CommandLine line, std::optional<std::uint64_t>& seed);
DeclaredOption model_option(CommandLine line, std::string& directory,
                            const std::string& where = "");
// --part: a number from 1 to `parts`, or 0 for all. `note` is added to the help.
DeclaredOption part_option(CommandLine line, int& part, int parts, const std::string& note = "");
// The help is "write WHAT as a picture (SVG)".
DeclaredOption figure_option(CommandLine line, std::string& file, const std::string& what);

// The options of a chapter's program that only some of its parts use. (With --part N, a program
// shows only part N of its output.)
// check() throws UsageError if an option is given together with a --part that does not use it.
class PartOptions {
public:
    explicit PartOptions(const int& part) : part_(&part) {}  // 0: all parts
    void add(std::vector<int> parts, const DeclaredOption& option) {
        used_.emplace_back(std::move(parts), option);
    }
    void check() const;
    // Is this part to be shown? Prints an empty line between two parts that are shown.
    bool begin(int part) const;

private:
    const int* part_;
    std::vector<std::pair<std::vector<int>, DeclaredOption>> used_;
};

}  // namespace tbt
