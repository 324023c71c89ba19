// Exercise 10_00: what does it cost to write several texts at once?
#include "10_00_passes.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex10_00;

namespace {

// Counts, pass by pass.
struct Cost {
    long passes = 0, positions = 0;
    void pass(long read) { ++passes, positions += read; }
};

Cost one_after_the_other(long P, long G, long n) {
    Cost cost;
    for (long text = 0; text < n; ++text)
        for (long token = 0; token < G; ++token) cost.pass(token == 0 ? P : 1);
    return cost;
}

Cost all_at_once(long P, long G, long n) {
    Cost cost;
    for (long token = 0; token < G; ++token) cost.pass(token == 0 ? P : n);
    return cost;
}

const Checker check_passes_alone("passes_alone(P, G, n)", ex10_00::passes_alone);
const Checker check_positions_alone("positions_alone(P, G, n)", ex10_00::positions_alone);
const Checker check_passes("passes_together(P, G, n)", ex10_00::passes_together);
const Checker check_positions("positions_together(P, G, n)", ex10_00::positions_together);

}  // namespace

TEST_CASE("three texts of 25 tokens after a prompt of 4", "[ex10_00]") {
    check_passes_alone(4, 25, 3, 75, "25 passes for each text");
    check_positions_alone(4, 25, 3, 84,
                          "4 + 24 positions for each text: the last token is never read");
    check_passes(4, 25, 3, 25, "one pass for the prompt, and 24 for all three");
    check_positions(4, 25, 3, 76, "the prompt's 4 once, and 3 positions in each of 24 passes");
}

TEST_CASE("one text costs the same either way", "[ex10_00]") {
    THINK("together with nobody is alone");
    check_passes_alone(10, 5, 1, 5);
    check_passes(10, 5, 1, 5);
    check_positions_alone(10, 5, 1, 14);
    check_positions(10, 5, 1, 14);
}

TEST_CASE("one token each: only the prompt is read", "[ex10_00]") {
    THINK("the first token comes from the pass over the prompt, and is not read");
    check_passes_alone(7, 1, 6, 6);
    check_positions_alone(7, 1, 6, 42);
    check_passes(7, 1, 6, 1);
    check_positions(7, 1, 6, 7);
}

TEST_CASE("counted pass by pass, for all small numbers", "[ex10_00]") {
    THINK("go through the passes on paper: what does each of them read?");
    for (long P = 1; P <= 5; ++P)
        for (long G = 1; G <= 5; ++G)
            for (long n = 1; n <= 5; ++n) {
                const Cost alone = one_after_the_other(P, G, n), together = all_at_once(P, G, n);
                check_passes_alone(P, G, n, alone.passes);
                check_positions_alone(P, G, n, alone.positions);
                check_passes(P, G, n, together.passes);
                check_positions(P, G, n, together.positions);
            }
}
