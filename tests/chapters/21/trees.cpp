// The mask of a tree, and which tree is worth its nodes.
#include "tests/catch.hpp"

#include "chapters/21_medusa/plain_tree.hpp"
#include "tests/api/hostile.hpp"

using namespace tbt;

namespace {

constexpr double rounding = 1e-12;

}  // namespace

TEST_CASE("a guess sees its ancestors and itself") {
    //        0       1
    //      2   4     3
    //          5
    const std::vector<int> parents = {-1, -1, 0, 1, 0, 4};
    const std::vector<std::vector<bool>> expected = {{1, 0, 0, 0, 0, 0}, {0, 1, 0, 0, 0, 0},
                                                     {1, 0, 1, 0, 0, 0}, {0, 1, 0, 1, 0, 0},
                                                     {1, 0, 0, 0, 1, 0}, {1, 0, 0, 0, 1, 1}};
    CHECK(tree_mask(parents) == expected);
    CHECK(tree_depths(parents) == std::vector<int>{0, 0, 1, 1, 1, 2});
    CHECK(tree_mask({}).empty());
    // A chain is the causal mask.
    CHECK(tree_mask({-1, 0, 1}) == std::vector<std::vector<bool>>{{1, 0, 0}, {1, 1, 0}, {1, 1, 1}});
    REFUSES(tree_mask({0}));
    REFUSES(tree_mask({-1, 1}));
    REFUSES(tree_mask({-1, -2}));
}

TEST_CASE("the best tree, by hand") {
    // Right: first guesses .6 and .3, after them .5 and .2.
    const std::vector<std::vector<double>> acceptance = {{.6, .3}, {.5, .2}};
    const TreeShape tree = best_tree(acceptance, 4);
    // .6; .3 and .6·.5 = .3, of which the first was there earlier; then .3·.5 = .15 over .6·.2.
    CHECK(tree.parents == std::vector<int>{-1, -1, 0, 1});
    CHECK(tree.ranks == std::vector<int>{0, 1, 0, 0});
    CHECK(tree.depths == std::vector<int>{0, 0, 1, 1});
    CHECK(std::abs(tree.tokens(4) - (1 + .6 + .3 + .3 + .15)) <= rounding);
    // No deeper than the heads, no wider than what was measured.
    const TreeShape all = best_tree(acceptance, 100);
    CHECK(all.parents.size() == 6);
    CHECK(*std::max_element(all.depths.begin(), all.depths.end()) == 1);
    CHECK(best_tree(acceptance, 0).tokens(0) == 1);
}

TEST_CASE("siblings are added in the order of their ranks, whatever their rates") {
    // Drawn without replacement, they must be judged in the order in which they were drawn.
    const TreeShape tree = best_tree({{.4, .1, .3}}, 3);
    CHECK(tree.ranks == std::vector<int>{0, 1, 2});
    CHECK(std::abs(tree.tokens(3) - (1 + .4 + .1 + .1)) <= rounding);
}

TEST_CASE("no other tree of as many nodes adds more tokens") {
    const std::vector<std::vector<double>> acceptance = {
        {.5, .2, .15, .05}, {.45, .25, .1, .05}, {.4, .3, .1, .1}};
    for (int n = 1; n <= 6; ++n) {
        // All trees of n nodes, as sets of places (path of ranks) that hold their own parents.
        double best = 0;
        std::vector<std::vector<int>> tree;
        const auto value = [&](const std::vector<int>& path) {
            double p = 1;
            for (std::size_t k = 0; k < path.size(); ++k) p *= acceptance[k][index(path[k])];
            return p;
        };
        const auto grow = [&](const auto& self, double sum) -> void {
            if (count(tree) == n) return void(best = std::max(best, sum));
            std::vector<std::vector<int>> from = tree;
            from.push_back({});
            for (const std::vector<int>& parent : from)
                for (int r = 0; parent.size() < 3 && r < 4; ++r) {
                    std::vector<int> path = parent;
                    path.push_back(r);
                    // In one order only: each new place is after the last one.
                    if (!tree.empty() && path <= tree.back()) continue;
                    tree.push_back(path);
                    self(self, sum + value(path));
                    tree.pop_back();
                }
        };
        grow(grow, 1);
        INFO(n << " nodes");
        CHECK(std::abs(best_tree(acceptance, n).tokens(n) - best) <= rounding);
    }
}
