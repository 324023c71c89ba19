// Exercise 26_00: passes of whole batches.
#include "26_00_whole_batches.hpp"
#include "chapters/26_serving/timeline.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex26_00;

TEST_CASE("3, 9, 2 and 5 in two slots", "[ex26_00]") {
    THINK("the longest of a batch decides");
    CHECK(passes({3, 9, 2, 5}, 2) == 14);
    CHECK(passes({3, 9, 2, 5, 8, 2, 4, 3}, 2) == 26);
}

TEST_CASE("the last batch may be small, and none is none", "[ex26_00]") {
    THINK("where does the last group end?");
    CHECK(passes({4, 1, 6}, 2) == 10);
    CHECK(passes({4, 1, 6}, 5) == 6);
    CHECK(passes({4, 1, 6}, 1) == 11);
    CHECK(passes({}, 3) == 0);
}

TEST_CASE("random requests, as the scheduler serves them", "[ex26_00]") {
    THINK("each group counts once, by its longest");
    Rng rng(1);
    for (int round = 0; round < 200; ++round) {
        std::vector<int> tokens;
        std::vector<Job> jobs;
        const int slots = 1 + static_cast<int>(rng.below(4));
        for (std::uint64_t n = 1 + rng.below(9); n > 0; --n) {
            tokens.push_back(1 + static_cast<int>(rng.below(9)));
            jobs.push_back({1, tokens.back()});
        }
        INPUT(tokens, slots);
        CHECK(
            passes(tokens, static_cast<std::size_t>(slots)) ==
            static_cast<int>(simulate(jobs, PlainScheduler(slots, 0, true), slots).passes.size()));
    }
}
