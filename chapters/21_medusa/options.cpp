#include "chapters/21_medusa/options.hpp"

#include "lib/core/error.hpp"
#include "lib/files/model.hpp"
#include "lib/machine/command_line.hpp"

namespace tbt {

std::filesystem::path MedusaSettings::heads_directory() const {
    return medusa_heads.empty() ? shipped_model("medusa") : std::filesystem::path(medusa_heads);
}

void add_medusa_options(OptionTable& app, MedusaSettings& s) {
    CommandLine(app, "A draft")
        .option("--medusa", s.medusa, "draft a tree of tokens with heads on the model itself");
    add_heads_options(app, s);
}

void add_heads_options(OptionTable& app, MedusaSettings& s) {
    CommandLine line(app, "A draft");
    line.option("--medusa-heads", s.medusa_heads,
                "their directory (those that ship belong to the model that ships)");
    line.option("--medusa-nodes", s.medusa_nodes, "guesses in each pass (adaptive: the maximum)")
        .shows_default();
}

void check_medusa(const MedusaSettings& s) {
    if (s.medusa_nodes < 1 || s.medusa_nodes > 64)
        throw UsageError("--medusa-nodes: got " + std::to_string(s.medusa_nodes) +
                         ", expected 1 to 64");
    const MedusaSettings usual;
    if (s.medusa) return;
    if (!s.medusa_heads.empty())
        throw UsageError("--medusa-heads: it has no effect without --medusa; add that");
    if (s.medusa_nodes != usual.medusa_nodes)
        throw UsageError("--medusa-nodes: it has no effect without --medusa; add that");
}

TreeShape tree_for(const Heads& heads, int nodes) {
    const std::vector<std::vector<double>>& measured = heads.config().acceptance;
    if (measured.empty())
        throw Error(
            "medusa: these heads have no measured accuracy, from which the tree is made; run "
            "train_heads --measure");
    return best_tree(measured, nodes);
}

}  // namespace tbt
