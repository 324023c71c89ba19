// A tree of guesses in plain code: which guess sees which, and the best tree with n nodes.
//
// Guess i follows guess parents[i] < i, or the text if parents[i] is −1.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "lib/core/check.hpp"
#include "lib/core/error.hpp"

namespace tbt {

// The number of guesses before each one in its branch. Throws Error if a parent is not before its
// child.
inline std::vector<int> tree_depths(const std::vector<int>& parents) {
    std::vector<int> depths;
    for (int i = 0; i < count(parents); ++i) {
        const int parent = parents[index(i)];
        if (parent < -1 || parent >= i)
            throw Error("tree: guess " + std::to_string(i) + " comes after guess " +
                        std::to_string(parent) + ", expected an earlier one, or -1");
        depths.push_back(parent < 0 ? 0 : depths[index(parent)] + 1);
    }
    return depths;
}

// mask[i][j]: does guess i see guess j? It sees its ancestors and itself, but no other branches.
// All guesses see the text.
inline std::vector<std::vector<bool>> tree_mask(const std::vector<int>& parents) {
    tree_depths(parents);
    std::vector<std::vector<bool>> mask;
    for (int i = 0; i < count(parents); ++i) {
        const int parent = parents[index(i)];
        mask.push_back(parent < 0 ? std::vector<bool>(parents.size()) : mask[index(parent)]);
        mask.back()[index(i)] = true;
    }
    return mask;
}

// The shape of a tree: for each node its parent, its depth, and the rank of its guess among its
// siblings.
struct TreeShape {
    std::vector<int> parents, depths, ranks;
    std::vector<double> right;  // the probability that the guess is right
    // The tokens that a pass with the first n nodes adds on average: the target's own token and the
    // right guesses.
    double tokens(int n) const {
        double sum = 1;
        for (int i = 0; i < std::min(n, count(right)); ++i) sum += right[index(i)];
        return sum;
    }
};

// The tree of the n guesses that are right most often [Cai et al. 2024]. acceptance[k][r] is how
// often the guess of rank r at depth k is right if those before it are. So the probability of a
// node is its parent's times this rate. Nodes are added in the order of their probability, so the
// first m nodes are the best tree with m nodes.
inline TreeShape best_tree(const std::vector<std::vector<double>>& acceptance, int n) {
    struct Node {
        int parent, depth, rank;
        double right;
    };
    std::vector<Node> open;
    const auto add_children = [&](int parent, int depth, double right) {
        if (depth >= count(acceptance)) return;  // no tree is deeper than the heads
        // A rank is never added before an earlier one: rejection judges siblings in this order.
        double rate = 1;
        for (int r = 0; r < count(acceptance[index(depth)]); ++r) {
            rate = std::min(rate, acceptance[index(depth)][index(r)]);
            open.push_back({parent, depth, r, right * rate});
        }
    };
    TreeShape tree;
    for (add_children(-1, 0, 1); count(tree.parents) < n && !open.empty();) {
        const auto best =
            std::max_element(open.begin(), open.end(),
                             [](const Node& a, const Node& b) { return a.right < b.right; });
        const Node node = *best;
        open.erase(best);
        tree.parents.push_back(node.parent), tree.depths.push_back(node.depth);
        tree.ranks.push_back(node.rank), tree.right.push_back(node.right);
        add_children(count(tree.parents) - 1, node.depth + 1, node.right);
    }
    return tree;
}

}  // namespace tbt
