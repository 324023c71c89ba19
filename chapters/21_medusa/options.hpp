// The command-line options for heads.
#pragma once

#include <filesystem>
#include <string>

#include "chapters/21_medusa/heads.hpp"
#include "chapters/21_medusa/plain_tree.hpp"

namespace tbt {

struct OptionTable;

struct MedusaSettings {
    bool medusa = false;
    std::string medusa_heads;  // a directory; empty: the heads that come with the course
    int medusa_nodes = 6;      // guesses per tree; the maximum if adaptive

    std::filesystem::path heads_directory() const;
};

// Declares --medusa, --medusa-heads and --medusa-nodes.
void add_medusa_options(OptionTable& app, MedusaSettings& settings);
void add_heads_options(OptionTable& app, MedusaSettings& settings);  // without --medusa

// Throws UsageError for values that are not allowed.
void check_medusa(const MedusaSettings& settings);

// The best tree with this many nodes, according to the heads' measured acceptance.
TreeShape tree_for(const Heads& heads, int nodes);

}  // namespace tbt
