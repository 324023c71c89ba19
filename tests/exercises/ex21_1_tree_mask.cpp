// Exercise 21_1: the mask of a tree.
#include "21_1_tree_mask.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex21_1;

namespace {

//        0       1
//      2   4     3
//          5
const std::vector<int> tree = {-1, -1, 0, 1, 0, 4};

}  // namespace

TEST_CASE("siblings have the same position", "[ex21_1]") {
    THINK("a guess is one place after its parent, wherever its row is");
    REQUIRE(positions(tree, 10) == std::vector<int>{10, 10, 11, 11, 11, 12});
    REQUIRE(positions({-1, 0, 1}, 0) == std::vector<int>{0, 1, 2});
    REQUIRE(positions({}, 5).empty());
}

TEST_CASE("a branch begins after the text", "[ex21_1]") {
    THINK("go from the guess to its parent until -1, then turn the list round");
    REQUIRE(branch(tree, 5) == std::vector<int>{0, 4, 5});
    REQUIRE(branch(tree, 3) == std::vector<int>{1, 3});
    REQUIRE(branch(tree, 1) == std::vector<int>{1});
    REQUIRE(branch(tree, 0) == std::vector<int>{0});
    REQUIRE(branch({-1, 0, 1, 2}, 3) == std::vector<int>{0, 1, 2, 3});
}

TEST_CASE("a guess sees the text, its ancestors and itself", "[ex21_1]") {
    THINK("a guess sees the whole text, its branch, and no sibling");
    const std::vector<std::vector<bool>> expected = {
        {1, 1, 1, 0, 0, 0, 0, 0}, {1, 1, 0, 1, 0, 0, 0, 0}, {1, 1, 1, 0, 1, 0, 0, 0},
        {1, 1, 0, 1, 0, 1, 0, 0}, {1, 1, 1, 0, 0, 0, 1, 0}, {1, 1, 1, 0, 0, 0, 1, 1}};
    THINK("guess 4 is a child of guess 0, and guess 2 is its sibling");
    REQUIRE(mask(tree, 2) == expected);
}

TEST_CASE("a chain has the causal mask", "[ex21_1]") {
    THINK("in a chain each guess sees all before it");
    const auto rows = mask({-1, 0, 1, 2}, 3);
    REQUIRE(rows.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) {
        REQUIRE(rows[i].size() == 7);
        for (std::size_t j = 0; j < 7; ++j) REQUIRE(bool(rows[i][j]) == (j <= 3 + i));
    }
}

TEST_CASE("after no text there are columns for guesses only", "[ex21_1]") {
    THINK("0 columns of text, one for each guess");
    REQUIRE(mask({-1, 0, 0}, 0) == std::vector<std::vector<bool>>{{1, 0, 0}, {1, 1, 0}, {1, 0, 1}});
    REQUIRE(mask({-1, -1}, 0) == std::vector<std::vector<bool>>{{1, 0}, {0, 1}});
    REQUIRE(mask({}, 3).empty());
}

TEST_CASE("random trees: as many guesses are seen as the position says", "[ex21_1]") {
    THINK("a guess sees itself and whom its parent sees");
    Rng rng(5);
    for (int round = 0; round < 50; ++round) {
        std::vector<int> parents;
        for (int i = 0; i < 20; ++i)
            parents.push_back(static_cast<int>(rng.below(static_cast<std::uint64_t>(i) + 1)) - 1);
        const auto rows = mask(parents, 4);
        const auto at = positions(parents, 4);
        for (std::size_t i = 0; i < 20; ++i) {
            REQUIRE(std::count(rows[i].begin(), rows[i].end(), true) == at[i] + 1);
            for (std::size_t j = 0; j < 20; ++j) {
                const bool own = i == j;
                const bool of_parent =
                    parents[i] >= 0 && rows[static_cast<std::size_t>(parents[i])][4 + j];
                REQUIRE(bool(rows[i][4 + j]) == (own || of_parent));
            }
        }
    }
}

TEST_CASE("what is no tree is refused", "[ex21_1]") {
    THINK("a parent must come before its child");
    CHECK_THROWS_AS(positions({0}, 1), Error);
    CHECK_THROWS_AS(positions({-1, 2, 0}, 1), Error);
    CHECK_THROWS_AS(mask({-1, -2}, 1), Error);
    CHECK_THROWS_AS(branch({-1, 0}, 2), Error);
    CHECK_THROWS_AS(branch({-1, 0}, -1), Error);
    CHECK_THROWS_AS(branch({}, 0), Error);
    CHECK_THROWS_AS(branch({-1, 1}, 0), Error);
    CHECK_THROWS_AS(branch({-1, -3, 0}, 2), Error);
}
