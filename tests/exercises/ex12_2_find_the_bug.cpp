// Exercise 12_2: the distribution that shows the mistake, and the distribution without it.
#include <numeric>

#include "12_2_find_the_bug.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex12_2;

namespace {

// 1e-12: a handful of roundings of numbers below 1.
const Checker check_step("distribution_of_step(p, q, correction)", ex12_2::distribution_of_step,
                         1e-12);
const Checker check_correction("right_correction(p, q)", ex12_2::right_correction, 1e-12);

const Distribution p3 = {.5, .3, .2}, q3 = {.2, .3, .5};

// Two tokens, 00 01 10 11: each is one step, the second one under the distributions after the
// first.
template <class Correction>
Distribution two_tokens(Correction correction) {
    const auto step = [&](const Distribution& p, const Distribution& q) {
        return distribution_of_step(p, q, correction(p, q));
    };
    const Distribution first = step({.7, .3}, {.4, .6});
    const Distribution behind0 = step({.6, .4}, {.3, .7}), behind1 = step({.2, .8}, {.5, .5});
    return {first[0] * behind0[0], first[0] * behind0[1], first[1] * behind1[0],
            first[1] * behind1[1]};
}

}  // namespace

TEST_CASE("the instrument shows what the tutorial's second draw does", "[ex12_2]") {
    check_step(p3, q3, tutorial_correction(p3, q3), {.35, .39, .26},
               "out_i = min(p_i, q_i) + β · c_i, with β = 1 − Σ min(p_j, q_j)");
}

TEST_CASE("the instrument adds what was accepted and β of the second draw", "[ex12_2]") {
    THINK("out_i = min(p_i, q_i) + β · c_i, with β = 1 − Σ min(p_j, q_j)");
    INFO("all that is corrected becomes the last token");
    check_step(p3, q3, {0, 0, 1}, {.2, .3, .5});
    check_step(p3, p3, {0, 0, 1}, p3);                   // nothing is rejected
    check_step({1, 0}, {0, 1}, {.25, .75}, {.25, .75});  // everything is
}

TEST_CASE(
    "over two tokens the tutorial's distribution is .2928 .3172 .1014 .2886 instead of .42 .28 .06 "
    ".24",
    "[ex12_2]") {
    THINK("the distribution of the second token is that of one step again");
    INFO("distributions of the first token: p {.7, .3}, q {.4, .6}; after 0 {.6, .4}, {.3, .7}");
    CHECK_NEAR(two_tokens(tutorial_correction), (Distribution{.2928, .3172, .1014, .2886}), 1e-12);
}

TEST_CASE("what the second draw must give is what the accepted ones lack", "[ex12_2]") {
    check_correction(p3, q3, {1, 0, 0},
                     "token 0 has got .2 of its .5, tokens 1 and 2 all that they are due");
    check_correction({.6, .3, .1}, {.3, .2, .5}, {.75, .25, 0}, "p − q, where it is above 0");
}

TEST_CASE("with it the distribution over two tokens is .42 .28 .06 .24", "[ex12_2]") {
    INFO("distributions of the first token: p {.7, .3}, q {.4, .6}; after 0 {.6, .4}, {.3, .7}");
    CHECK_NEAR(two_tokens(right_correction), (Distribution{.42, .28, .06, .24}), 1e-12);
}

TEST_CASE("a draft that agrees leaves nothing to correct, and no 0/0", "[ex12_2]") {
    THINK("the residual sums to zero; the distribution must still be one");
    INPUT(p3);
    CHECK(right_correction(p3, p3) == p3);
    CHECK(right_correction({1}, {1}) == Distribution{1});
}

TEST_CASE("a draft that is always wrong is corrected to the target", "[ex12_2]") {
    check_correction({.25, .75, 0}, {0, 0, 1}, {.25, .75, 0},
                     "what is left of the target, max(0, p − q), divided by its sum");
}

TEST_CASE("whatever the two distributions are, the token that comes out follows the target",
          "[ex12_2]") {
    THINK("accepted mass min(p, q), and the rest by what you give: together p");
    Rng rng(12);
    for (int round = 0; round < 300; ++round) {
        const std::size_t size =
            1 + static_cast<std::size_t>(round) / 20;  // the smallest counterexample comes first
        const Distribution p = random_distribution(rng, size, 4),
                           q = random_distribution(rng, size, 4);
        INPUT(p, q);
        const Distribution c = right_correction(p, q);
        for (const double x : c) EXPECT(x >= 0, "a distribution, so nothing below 0", c);
        CHECK_NEAR(std::accumulate(c.begin(), c.end(), 0.0), 1, 1e-12);
        check_step(p, q, c, p);
    }
}

TEST_CASE("distributions that differ by a rounding only: the distribution is p, never 0/0",
          "[ex12_2]") {
    THINK(".1 + .2 is a bit more than .3, so that nothing is left of p − q");
    check_correction({.3, .7}, {.1 + .2, .7}, {.3, .7});
    {
        INFO("little is left, not nothing");
        check_correction({.51, .49}, {.5, .5}, {1, 0});
    }
    INFO("distribution_of_step with right_correction");
    // The other way round a bit is left, and any distribution will do.
    const Distribution c = right_correction({.1 + .2, .7}, {.3, .7});
    check_step({.1 + .2, .7}, {.3, .7}, c, {.3, .7});
    CHECK_NEAR(c[0] + c[1], 1, 1e-12);
}
