// Exercise 24_00: the divergence of two distributions.
#include "24_00_kl.hpp"
#include "chapters/24_which_decoder/plain_measures.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex24_00;

TEST_CASE("two coins by hand", "[ex24_00]") {
    THINK("the logarithm to the base 2, of q over p");
    CHECK_NEAR(kl({.5, .5}, {.25, .75}), .20751875, 1e-7);
    CHECK_NEAR(kl({1, 0}, {.5, .5}), 1, 1e-12);
}

TEST_CASE("equal distributions are at no distance", "[ex24_00]") {
    THINK("log2(1) is 0");
    CHECK_NEAR(kl({.2, .8}, {.2, .8}), 0, 1e-15);
    CHECK_NEAR(kl({0, 1}, {0, 1}), 0, 1e-15);
}

TEST_CASE("a text that only one of them writes", "[ex24_00]") {
    THINK("which of the two may be 0 without harm?");
    const std::vector<double> q = {.5, .5}, p = {1, 0};
    INPUT(q, p);
    const double never_there = kl(q, p);
    EXPECT(std::isinf(never_there) && never_there > 0, "infinity", never_there);
    CHECK_NEAR(kl({1, 0}, {1, 0}), 0, 1e-15);
}

TEST_CASE("random distributions, as the course computes them", "[ex24_00]") {
    THINK("each term is weighted with q(x)");
    Rng rng(1);
    for (int round = 0; round < 200; ++round) {
        const std::vector<double> q = random_distribution(rng, 5), p = random_distribution(rng, 5);
        INPUT(q, p);
        CHECK_NEAR(kl(q, p), plain_kl(q, p), 1e-9);
    }
}
