#include "chapters/11_beam_search/lattice.hpp"

namespace tbt {

int Lattice::add(LatticeNode node, std::optional<FinishReason> end, bool kept, std::size_t beams) {
    if (!on_) return -1;
    node.fate = !kept ? Fate::pruned : end ? Fate::finished : Fate::live;
    if (!kept)
        node.why =
            std::string(end ? "ended, but " : "") + "beyond the best " + std::to_string(beams);
    else if (end) node.why = to_string(*end);
    nodes_.push_back(std::move(node));
    return count(nodes_) - 1;
}

void Lattice::prune(int node, const char* why) {
    if (node < 0 || index(node) >= nodes_.size()) return;
    LatticeNode& n = nodes_[index(node)];
    n.fate = Fate::pruned, n.why = why;
}

}  // namespace tbt
