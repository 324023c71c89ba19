// Exercise 05_01: top-p.
#include "05_01_top_p.hpp"
#include "chapters/05_top_p/plain_top_p.hpp"
#include "tests/exercises/rows.hpp"

using namespace tbt;
using namespace tbt::ex05_01;

namespace {

using Distribution = std::vector<double>;

constexpr double rounding = 1e-12;

const Checker check("nucleus(p, P)", ex05_01::nucleus, rounding);

}  // namespace

TEST_CASE("four tokens, P = .7", "[ex05_01]") {
    check({.1, .5, .15, .25}, .7, {0, 2 / 3., 0, 1 / 3.}, "two have .75 together");
}

TEST_CASE("the token that reaches P is the last to stay", "[ex05_01]") {
    check({.5, .25, .125, .125}, .5, {1, 0, 0, 0}, ".5 reaches .5");
    check({.5, .25, .125, .125}, .51, {2 / 3., 1 / 3., 0, 0}, ".5 does not reach .51");
    check({.5, .25, .125, .125}, .75, {2 / 3., 1 / 3., 0, 0}, ".75 reaches .75");
    check({.5, .25, .125, .125}, .76, {4 / 7., 2 / 7., 1 / 7., 0}, ".75 does not reach .76");
}

TEST_CASE("rounding does not let a token in", "[ex05_01]") {
    check({.4, .3, .2, .1}, .9, {4 / 9., 3 / 9., 2 / 9., 0}, "what is .4 + .3 + .2 in doubles?");
    check(Distribution(10, .1), .8, {.125, .125, .125, .125, .125, .125, .125, .125, 0, 0},
          "what is .1 + … + .1 in doubles?");
    check({.5, .3, .2}, .5 + 1e-9, {.625, .375, 0}, "a billionth is more than rounding");
    check({.5, .3, .2}, .5 + 5e-13, {1, 0, 0}, "a sum reaches P from P − 10^-12 on");
    check({.5, .3, .2}, .5 + 2e-12, {.625, .375, 0}, "two billionths of a thousandth are too much");
}

TEST_CASE("of equal probabilities the lower ids stay", "[ex05_01]") {
    check({.25, .25, .25, .25}, .5, {.5, .5, 0, 0}, "a stable sort");
    check({.2, .3, .2, .3}, .6, {0, .5, 0, .5}, "a stable sort");
    check({.2, .3, .2, .3}, .7, {.25, .375, 0, .375}, "a stable sort");
    Distribution many(64, 1 / 64.), half(64);
    std::fill(half.begin(), half.begin() + 32, 1 / 32.);
    check(many, .5, half, "a stable sort");
}

TEST_CASE("one token always stays", "[ex05_01]") {
    check({.2, .5, .3}, 0, {0, 1, 0}, "P = 0");
    check({1}, 0, {1}, "one token alone");
    check({1}, 1, {1}, "one token alone");
}

TEST_CASE("P = 1 keeps all that can come at all", "[ex05_01]") {
    check({.5, 0, .25, 0, .25}, 1, {.5, 0, .25, 0, .25}, "nothing to cut");
    check({0, 1, 0}, 1, {0, 1, 0}, "0/0 is not a probability");
    check({.999, .001}, 1, {.999, .001}, "nothing to cut");
}

TEST_CASE("a P outside 0 to 1 is refused", "[ex05_01]") {
    for (const double P : {-.1, 1.1, 90., std::nan("")}) {
        INPUT(P);
        CHECK_THROWS_AS(nucleus({.5, .5}, P), UsageError);
    }
}

TEST_CASE("random distributions: the same as the chapter's", "[ex05_01]") {
    Rng rng(51);
    for (int round = 0; round < 3000; ++round) {
        const std::vector<float> s = some_row(rng, round);
        const Distribution p = softmax_at(s, 1);
        const double P = round % 3 == 0 ? double(rng.below(21)) / 20 : rng.uniform();
        const std::vector<float> kept = tbt::top_p(s, 1, P);
        Distribution expected(p.size());
        double sum = 0;
        for (std::size_t i = 0; i < p.size(); ++i) sum += kept[i] == masked ? 0 : p[i];
        for (std::size_t i = 0; i < p.size(); ++i) expected[i] = kept[i] == masked ? 0 : p[i] / sum;
        check(p, P, expected, "the fewest tokens that together have P");
    }
}
