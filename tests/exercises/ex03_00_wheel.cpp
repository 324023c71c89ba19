// Exercise 03_00: the segments of the wheel.
#include "03_00_wheel.hpp"
#include "tests/exercises/rows.hpp"

using namespace tbt;
using namespace tbt::ex03_00;

namespace {

// e^x and a quotient, each right to a few roundings.
constexpr double rounding = 1e-14;

void check_weights(const Row& s, double T, const Row& expected, const char* think) {
    double most = 0;
    for (const double w : expected) most = std::max(most, w);
    INPUT(s, T);
    THINK(think);
    CHECK_NEAR(weights(s, T), expected, rounding * most);
}

const Checker check_distribution("distribution_of(w)", ex03_00::distribution_of, rounding);

}  // namespace

TEST_CASE("logits ln 1, ln 2, ln 3: weights 1, 2, 3", "[ex03_00]") {
    const Row s = {0, std::log(2.), std::log(3.)};
    check_weights(s, 1, {1, 2, 3}, "e^ln 2 is 2");
    check_weights(s, .5, {1, 4, 9}, "e^(2 ln 2) is 4: dividing by 1/2 doubles");
    check_weights(s, 2, {1, std::sqrt(2.), std::sqrt(3.)}, "divide first, then e to it");
    check_weights({1, 0, -1}, 1, {std::exp(1.), 1, std::exp(-1.)}, "a logit may be below 0");
    check_weights({}, 1, {}, "no logits, no weights");
    check_weights({20}, 1, {std::exp(20.)}, "in doubles, and not divided by anything yet");
}

TEST_CASE("the distribution: each weight divided by the sum", "[ex03_00]") {
    check_distribution({1, 2, 3}, {1. / 6, 2. / 6, 3. / 6}, "the sum is 6");
    check_distribution({1, 4, 9}, {1. / 14, 4. / 14, 9. / 14}, "the sum is 14");
    check_distribution({5}, {1}, "a single token has everything");
    check_distribution({0, 2, 0, 2}, {0, .5, 0, .5}, "a weight of 0 has no share");
    check_distribution({.1, .1}, {.5, .5}, "also where the sum is below 1");
    check_distribution({3, 1}, {.75, .25}, "divide by the sum, not by the largest");
    check_distribution({1, 1, 1, 1, 1, 1, 1}, Row(7, 1. / 7),
                       "the sum is complete before anything is divided");
}

TEST_CASE("any logits: a distribution sums to 1, and its proportions are the weights'",
          "[ex03_00]") {
    Rng rng(300);
    for (int round = 0; round < 300; ++round) {
        Row s, expected;
        double sum = 0;
        for (std::size_t n = 1 + rng.below(9); n > 0; --n) s.push_back(3 * rng.normal());
        const double T = .3 + 2 * rng.uniform();
        for (const double x : s) expected.push_back(std::exp(x / T)), sum += expected.back();
        check_weights(s, T, expected, "e^(s / T)");
        const Row w = expected;
        for (double& x : expected) x /= sum;
        check_distribution(w, expected, "each weight divided by the sum of all");
    }
}
