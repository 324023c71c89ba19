// Exercise 05_2: exclude top choices.
#include "05_2_xtc.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex05_2;

namespace {

constexpr double always = 1;

const Checker check_distribution("exclude_top_choices(p, threshold, probability, u)",
                                 ex05_2::exclude_top_choices, 1e-12);  // a division

}  // namespace

TEST_CASE("of three tokens above the threshold only the least probable stays", "[ex05_2]") {
    THINK(
        "what is at or above the threshold is a top choice; all of them but the least probable go");
    check_distribution({.4, .3, .2, .1}, .19, always, 0, {0, 0, .2 / .3, .1 / .3});
}

TEST_CASE("the published cases of llama.cpp's test-sampling (XTC)", "[ex05_2]") {
    THINK("what goes gives its share to the others: divide by what is left");
    check_distribution({.4, .3, .2, .1}, .09, .99, .5, {0, 0, 0, 1});
    check_distribution({.4, .3, .2, .1}, .29, .99, .5, {0, .3 / .6, .2 / .6, .1 / .6});
    check_distribution({.4, .3, .2, .1}, .39, .99, .5, {.4, .3, .2, .1});
}

TEST_CASE("a token exactly at the threshold is a top choice", "[ex05_2]") {
    THINK("at least the threshold, or more than it?");
    check_distribution({.5, .25, .25}, .25, always, 0, {0, 0, 1});
    check_distribution({.5, .5}, .5, always, 0, {0, 1});
}

TEST_CASE("the ids may come in any order", "[ex05_2]") {
    THINK("the least probable top choice is not the last one in the list");
    check_distribution({.1, .25, .35, .3}, .2, always, 0, {.1 / .35, .25 / .35, 0, 0});
}

TEST_CASE("of equally probable ones the last id stays", "[ex05_2]") {
    INFO(
        "think about: of equals the lower id comes first, and the first choices are the ones to "
        "go");
    check_distribution({.25, .125, .25, .25, .125}, .25, always, 0, {0, .25, 0, .5, .25});
}

TEST_CASE("one good token alone is left in peace", "[ex05_2]") {
    THINK("with fewer than two top choices nothing happens");
    check_distribution({.05, .9, .05}, .1, always, 0, {.05, .9, .05});
    check_distribution({.6, .4}, .51, always, 0, {.6, .4});
    check_distribution({.3, .3, .4}, .9, always, 0, {.3, .3, .4});
    check_distribution({1}, .1, always, 0, {1});
}

TEST_CASE("threshold 0: all that can come are top choices, and what cannot come is none",
          "[ex05_2]") {
    THINK("a token of probability 0 is never the one that stays: nothing would be left");
    check_distribution({.5, 0, .25, .25}, 0, always, 0, {0, 0, 0, 1});
    check_distribution({0, .6, .4, 0}, 0, always, 0, {0, 0, 1, 0});
    check_distribution({.5, 0, .5}, 0, .3, .9, {.5, 0, .5});
}

TEST_CASE("it happens when u is below the probability", "[ex05_2]") {
    const std::vector<double> distribution = {.5, .5}, after = {0, 1};
    check_distribution(distribution, .1, .5, .25, after);
    check_distribution(distribution, .1, .5, .75, distribution);
    INFO("think about: with probability 0 no u in [0, 1), not even 0, may drop anything");
    check_distribution(distribution, .1, 0, 0, distribution);
    check_distribution(distribution, .1, .5, .5, distribution);
}

TEST_CASE("thresholds and probabilities outside 0 to 1 are refused", "[ex05_2]") {
    THINK("NaN compares as false, so ask for what is right, and refuse the rest");
    for (const double bad : {-.01, 1.01, std::nan("")}) {
        CHECK_THROWS_AS(exclude_top_choices({.5, .5}, bad, .5, .1), UsageError);
        CHECK_THROWS_AS(exclude_top_choices({.5, .5}, .1, bad, .1), UsageError);
    }
}

TEST_CASE("any distribution: a distribution comes out, and one top choice is left if there was one",
          "[ex05_2]") {
    THINK("when one top choice is left, and everything below the threshold, what is their sum?");
    Rng rng(52);
    for (int round = 0; round < 300; ++round) {
        std::vector<double> p(2 + rng.below(8));
        for (double& x : p) x = static_cast<double>(1 + rng.below(9));
        p = divided_by_sum(p);
        const double threshold = round % 4 == 0 ? 0 : rng.uniform() / 2;
        if (round % 8 == 0) p.push_back(0);
        INPUT(p, threshold);
        INFO("how many top choices are left");
        const auto q = exclude_top_choices(p, threshold, always, rng.uniform());
        int before = 0, after = 0;
        double mass = 0;
        for (std::size_t i = 0; i < p.size(); ++i) {
            INFO("round " << round << ", token " << i << ", threshold " << threshold);
            before += p[i] >= threshold && p[i] > 0;
            after += p[i] >= threshold && q[i] > 0;
            if (p[i] < threshold) CHECK(q[i] >= p[i] * (1 - 1e-12));
            mass += q[i];
        }
        CHECK(after == std::min(before, 1));
        CHECK_NEAR(mass, 1, 1e-12);
    }
}
