// Exercise 24_01: points that nobody beats.
#include "24_01_frontier.hpp"
#include "chapters/24_which_decoder/plain_measures.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex24_01;

TEST_CASE("three points by hand", "[ex24_01]") {
    THINK("the third is worse than the second in both");
    const std::vector<bool> expected = {true, true, false};
    CHECK(frontier({{.1, .5}, {.3, .2}, {.4, .3}}) == expected);
}

TEST_CASE("equal points, ties in one figure, none at all", "[ex24_01]") {
    THINK("at least as good in both, and better in one");
    const std::vector<bool> both = {true, true}, first = {true, false}, none;
    CHECK(frontier({{.2, .2}, {.2, .2}}) == both);
    CHECK(frontier({{.2, .2}, {.2, .3}}) == first);
    CHECK(frontier({{.1, .3}, {.2, .3}}) == first);
    CHECK(frontier({}) == none);
}

TEST_CASE("random points, as the course finds them", "[ex24_01]") {
    THINK("compare each point with every other");
    Rng rng(2);
    for (int round = 0; round < 200; ++round) {
        std::vector<Point> points;
        std::vector<std::pair<double, double>> pairs;
        for (std::uint64_t n = 1 + rng.below(8); n > 0; --n) {
            const double wrong = static_cast<double>(rng.below(5)) / 4,
                         lost = static_cast<double>(rng.below(5)) / 4;
            points.push_back({wrong, lost}), pairs.emplace_back(wrong, lost);
        }
        INPUT(round);
        CHECK(frontier(points) == plain_frontier(pairs));
    }
}
