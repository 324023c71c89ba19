// Exercise 25_00: the root mean square.
#include "25_00_root_mean_square.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex25_00;

TEST_CASE("the root mean square of 3 and 4 is 3.5355", "[ex25_00]") {
    THINK("the mean of 9 and 16 is 12.5");
    CHECK_NEAR(rms({3, 4}), std::sqrt(12.5), 1e-12);
}

TEST_CASE("signs do not count, and equal numbers keep their size", "[ex25_00]") {
    THINK("a square has no sign");
    CHECK_NEAR(rms({-3, 4}), std::sqrt(12.5), 1e-12);
    CHECK_NEAR(rms({-2, -2, -2}), 2, 1e-12);
    CHECK_NEAR(rms({-7}), 7, 1e-12);
    CHECK_NEAR(rms({0, 0}), 0, 1e-12);
}

TEST_CASE("twice the row has twice the length", "[ex25_00]") {
    THINK("the root comes last");
    Rng rng(1);
    for (int round = 0; round < 200; ++round) {
        ex25_00::Row x, twice;
        for (int i = 0; i <= round % 9; ++i)
            x.push_back(rng.normal()), twice.push_back(2 * x.back());
        INPUT(x);
        CHECK_NEAR(rms(twice), 2 * rms(x), 1e-12);
    }
}
