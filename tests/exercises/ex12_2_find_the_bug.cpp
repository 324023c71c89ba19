// Exercise 12_2: the distribution that shows the mistake, and the distribution without it.
#include "tests/exercises/exercise_check.hpp"

#include <cmath>
#include <string>

#include "12_2_find_the_bug.hpp"
#include "lib/core/rng.hpp"
#include "tests/exercises/random_distribution.hpp"

using namespace tbt;
using namespace tbt::ex12_2;

namespace {

// 1e-12: a handful of roundings of numbers below 1.
void check_distribution(const Distribution& got, const Distribution& expected,
                        double tolerance = 1e-12) {
    { CHECK_NEAR(got, expected, tolerance); }
}

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
    THINK("out_i = min(p_i, q_i) + β · c_i, with β = 1 − Σ min(p_j, q_j)");
    INPUT(p3, q3);
    INFO("distribution_of_step, with tutorial_correction");
    check_distribution(distribution_of_step(p3, q3, tutorial_correction(p3, q3)), {.35, .39, .26});
}

TEST_CASE("the instrument adds what was accepted and β of the second draw", "[ex12_2]") {
    THINK("out_i = min(p_i, q_i) + β · c_i, with β = 1 − Σ min(p_j, q_j)");
    INPUT(p3, q3);
    INFO("distribution_of_step; all that is corrected becomes the last token");
    check_distribution(distribution_of_step(p3, q3, {0, 0, 1}), {.2, .3, .5});
    INFO("distribution_of_step(p3, p3, {0, 0, 1})");
    check_distribution(distribution_of_step(p3, p3, {0, 0, 1}), p3);  // nothing is rejected
    INFO("distribution_of_step({1, 0}, {0, 1}, {.25, .75})");
    check_distribution(distribution_of_step({1, 0}, {0, 1}, {.25, .75}),
                       {.25, .75});  // everything is
}

TEST_CASE(
    "over two tokens the tutorial's distribution is .2928 .3172 .1014 .2886 instead of .42 .28 .06 "
    ".24",
    "[ex12_2]") {
    THINK("the distribution of the second token is that of one step again");
    INFO("distributions of the first token: p {.7, .3}, q {.4, .6}; after 0 {.6, .4}, {.3, .7}");
    check_distribution(two_tokens(tutorial_correction), {.2928, .3172, .1014, .2886});
}

TEST_CASE("what the second draw must give is what the accepted ones lack", "[ex12_2]") {
    INFO("think about: token 0 has got .2 of its .5, tokens 1 and 2 all that they are due");
    INFO("right_correction({.5, .3, .2}, {.2, .3, .5})");
    check_distribution(right_correction(p3, q3), {1, 0, 0});
    INFO("right_correction({.6, .3, .1}, {.3, .2, .5}); think about: p − q, where it is above 0");
    check_distribution(right_correction({.6, .3, .1}, {.3, .2, .5}), {.75, .25, 0});
}

TEST_CASE("with it the distribution over two tokens is .42 .28 .06 .24", "[ex12_2]") {
    THINK("with it the distribution over two tokens is .42 .28 .06 .24");
    INFO("distributions of the first token: p {.7, .3}, q {.4, .6}; after 0 {.6, .4}, {.3, .7}");
    check_distribution(two_tokens(right_correction), {.42, .28, .06, .24});
}

TEST_CASE("a draft that agrees leaves nothing to correct, and no 0/0", "[ex12_2]") {
    INFO("think about: the residual sums to zero; the distribution must still be one");
    INFO("right_correction(p, q) with p = q");
    check_distribution(right_correction(p3, p3), p3, 0);
    check_distribution(right_correction({1}, {1}), {1}, 0);
}

TEST_CASE("a draft that is always wrong is corrected to the target", "[ex12_2]") {
    THINK("what is left of the target, max(0, p − q), divided by its sum");
    INFO("right_correction({.25, .75, 0}, {0, 0, 1})");
    check_distribution(right_correction({.25, .75, 0}, {0, 0, 1}), {.25, .75, 0});
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
        double sum = 0;
        for (std::size_t i = 0; i < c.size(); ++i) {
            EXPECT(c[i] >= 0, "a distribution, so nothing below 0", c);
            sum += c[i];
        }
        CHECK_NEAR(sum, 1, 1e-12);
        check_distribution(distribution_of_step(p, q, c), p);
    }
}

TEST_CASE("distributions that differ by a rounding only: the distribution is p, never 0/0",
          "[ex12_2]") {
    INFO("think about: .1 + .2 is a bit more than .3, so that nothing is left of p − q");
    INFO("right_correction({.3, .7}, {.1 + .2, .7})");
    check_distribution(right_correction({.3, .7}, {.1 + .2, .7}), {.3, .7});
    INFO("right_correction({.51, .49}, {.5, .5}): little is left, not nothing");
    check_distribution(right_correction({.51, .49}, {.5, .5}), {1, 0});
    INFO("distribution_of_step with right_correction, {.1 + .2, .7} and {.3, .7}");
    // The other way round a bit is left, and any distribution will do.
    const Distribution c = right_correction({.1 + .2, .7}, {.3, .7});
    check_distribution(distribution_of_step({.1 + .2, .7}, {.3, .7}, c), {.3, .7});
    CHECK_NEAR(c[0] + c[1], 1, 1e-12);
}
