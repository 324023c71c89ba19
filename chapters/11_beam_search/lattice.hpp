// What became of everything that a beam search looked at.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "chapters/09_stopping/stopping.hpp"
#include "lib/core/index.hpp"

namespace tbt {

enum class Fate { live, finished, pruned };

// One candidate: a live hypothesis with one token more. All that a step looked at stand in
// order of their sums.
struct LatticeNode {
    int step = 0;     // from 1: the number of generated tokens
    int parent = -1;  // index of a node, −1: the prompt
    int token = 0;
    double log_probability = 0;
    double sum = 0;
    double score = 0;
    Fate fate = Fate::live;
    std::string why;
};

// Written while the search runs; one that is switched off does nothing.
class Lattice {
public:
    explicit Lattice(bool on) : on_(on) {}
    const std::vector<LatticeNode>& nodes() const { return nodes_; }

    // A candidate that was kept or not, and ends its text or not. The node's number;
    // -1 when switched off.
    int add(LatticeNode node, std::optional<FinishReason> end, bool kept, std::size_t beams);
    // Somebody changed their mind.
    void prune(int node, const char* why);

private:
    bool on_;
    std::vector<LatticeNode> nodes_;
};

}  // namespace tbt
