// Exercise 21_01: who sees whom in a tree of guesses.
#include "21_01_depth.hpp"
#include "chapters/21_medusa/plain_tree.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex21_01;

namespace {

const Checker check_depth("depth(parents, i)", ex21_01::depth);
const Checker check_sees("sees(parents, i, j)", ex21_01::sees);

//        0       1
//      2   4     3
//          5
const std::vector<int> tree = {-1, -1, 0, 1, 0, 4};

}  // namespace

TEST_CASE("after the text the depth is 0", "[ex21_01]") {
    check_depth(tree, 0, 0, "parents[0] is -1: no guess comes before it");
    check_depth(tree, 1, 0, "parents[1] is -1, whatever its row is");
    check_depth({-1}, 0, 0, "a tree of one guess");
}

TEST_CASE("one deeper than the parent", "[ex21_01]") {
    check_depth(tree, 2, 1, "after guess 0");
    check_depth(tree, 3, 1, "after guess 1; the guesses of the other branch don't count");
    check_depth(tree, 4, 1, "siblings have the same depth");
    check_depth(tree, 5, 2, "after 4, which comes after 0");
    check_depth({-1, 0, 1, 2, 3}, 4, 4, "in a chain: as many as come before");
    check_depth({-1, 0, 0, 0, 0}, 4, 1, "all four are children of guess 0");
}

TEST_CASE("a guess sees itself and its parent", "[ex21_01]") {
    check_sees(tree, 0, 0, true, "itself");
    check_sees(tree, 5, 5, true, "itself");
    check_sees(tree, 4, 0, true, "its parent");
    check_sees(tree, 3, 1, true, "its parent");
    check_sees(tree, 5, 4, true, "its parent");
}

TEST_CASE("and the parent of the parent, up to the text", "[ex21_01]") {
    check_sees(tree, 5, 0, true, "0 is the parent of 4, and 4 its own");
    check_sees({-1, 0, 1, 2}, 3, 0, true, "the whole chain");
    check_sees({-1, 0, 1, 2}, 3, 1, true, "the whole chain");
}

TEST_CASE("never a sibling, nor another branch", "[ex21_01]") {
    check_sees(tree, 4, 2, false, "2 and 4 are both children of 0: siblings");
    check_sees(tree, 1, 0, false, "both come after the text: siblings");
    check_sees(tree, 3, 0, false, "0 is on another branch");
    check_sees(tree, 5, 1, false, "1 is on another branch");
    check_sees(tree, 5, 2, false, "the sibling of its parent");
    check_sees(tree, 5, 3, false, "at the depth of its parent, on another branch");
}

TEST_CASE("nobody sees who comes after", "[ex21_01]") {
    check_sees(tree, 0, 2, false, "2 comes after 0: what it says is not known yet");
    check_sees(tree, 0, 5, false, "5 comes after 0");
    check_sees(tree, 2, 4, false, "a sibling");
    check_sees({-1, 0, 1, 2}, 1, 3, false, "in a chain: the causal mask");
}

TEST_CASE("any tree: as the chapter's depths and mask", "[ex21_01]") {
    Rng rng(2101);
    for (int round = 0; round < 120; ++round) {
        std::vector<int> parents;
        for (int i = 0; i < 1 + round / 12; ++i)
            parents.push_back(static_cast<int>(rng.below(static_cast<std::uint64_t>(i) + 1)) - 1);
        const std::vector<int> depths = tree_depths(parents);
        const auto mask = tree_mask(parents);
        for (int i = 0; i < count(parents); ++i) {
            check_depth(parents, i, depths[index(i)], "from parent to parent, until -1");
            for (int j = 0; j < count(parents); ++j)
                check_sees(parents, i, j, mask[index(i)][index(j)],
                           "itself, and all guesses on the way to the text");
        }
    }
}
