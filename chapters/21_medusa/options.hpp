// The command line of heads.
#pragma once

#include <filesystem>
#include <string>

#include "chapters/21_medusa/heads.hpp"
#include "chapters/21_medusa/plain_tree.hpp"

namespace CLI {
class App;
}

namespace tbt {

struct MedusaSettings {
    bool medusa = false;
    std::string medusa_heads;  // a directory; empty: those that ship
    int medusa_nodes = 6;      // guesses of a tree; adaptive: at most

    std::filesystem::path heads_directory() const;
};

// --medusa --medusa-heads --medusa-nodes
void add_medusa_options(CLI::App& app, MedusaSettings& settings);
void add_heads_options(CLI::App& app, MedusaSettings& settings);  // without the first

// Throws UsageError on values that make no sense.
void check_medusa(const MedusaSettings& settings);

// The best tree of so many guesses for these heads, as they were measured.
TreeShape tree_for(const Heads& heads, int nodes);

}  // namespace tbt
