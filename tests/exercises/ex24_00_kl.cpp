// Exercise 24_00: the divergence of two distributions.
#include "24_00_kl.hpp"
#include "chapters/24_which_decoder/plain_measures.hpp"
#include "lib/core/rng.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex24_00;

TEST_CASE("two coins by hand", "[ex24_00]") {
    THINK("the logarithm to the base 2, of q over p");
    CHECK(kl({.5, .5}, {.25, .75}) == Approx(.20751875).margin(1e-7));
    CHECK(kl({1, 0}, {.5, .5}) == Approx(1).margin(1e-12));
}

TEST_CASE("equal distributions are at no distance", "[ex24_00]") {
    THINK("log2(1) is 0");
    CHECK(kl({.2, .8}, {.2, .8}) == Approx(0).margin(1e-15));
    CHECK(kl({0, 1}, {0, 1}) == Approx(0).margin(1e-15));
}

TEST_CASE("a text that only one of them writes", "[ex24_00]") {
    THINK("which of the two may be 0 without harm?");
    const std::vector<double> q = {.5, .5}, p = {1, 0};
    INPUT(q, p);
    const double never_there = kl(q, p);
    EXPECT(std::isinf(never_there) && never_there > 0, "infinity", never_there);
    CHECK(kl({1, 0}, {1, 0}) == Approx(0).margin(1e-15));
}

TEST_CASE("random distributions, as the course computes them", "[ex24_00]") {
    THINK("each term is weighted with q(x)");
    Rng rng(1);
    for (int round = 0; round < 200; ++round) {
        std::vector<double> q(5), p(5);
        double sum_q = 0, sum_p = 0;
        for (std::size_t i = 0; i < 5; ++i)
            sum_q += q[i] = rng.uniform(), sum_p += p[i] = rng.uniform();
        for (std::size_t i = 0; i < 5; ++i) q[i] /= sum_q, p[i] /= sum_p;
        INPUT(q, p);
        CHECK(kl(q, p) == Approx(plain_kl(q, p)).margin(1e-9));
    }
}
