// Exercise 05_00: how many tokens does it take to reach P?
#include "05_00_reach.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex05_00;

namespace {

const Checker check("reach(p, P)", ex05_00::reach);

const std::vector<double> four = {.5, .25, .15, .1};

}  // namespace

TEST_CASE("the one that reaches P counts", "[ex05_00]") {
    check(four, .7, 2, ".5 and .25 are .75");
    check(four, .6, 2, ".5 is not enough");
    check(four, .8, 3, ".75 is not enough");
    check(four, .95, 4, ".9 is not enough");
}

TEST_CASE("a sum that is exactly P reaches it", "[ex05_00]") {
    check(four, .5, 1, ".5 is P already");
    check(four, .75, 2, ".75 is P");
    check({.25, .25, .25, .25}, .5, 2, "equal ones as well");
}

TEST_CASE("one counts always, and all where P is 1", "[ex05_00]") {
    check(four, 0, 1, "the nucleus is never empty");
    check(four, .1, 1, "the first token is more than P");
    check(four, 1, 4, "all of them");
    check({1}, 1, 1, "one token has everything");
    check({1}, 0, 1, "one token has everything");
    check({.99, .01}, .9, 1, "a model that is sure");
}

TEST_CASE("rounding: .4 + .3 + .2 reaches .9", "[ex05_00]") {
    check({.4, .3, .2, .1}, .9, 3, "at least P − 10^-12");
    check({.3, .3, .3, .1}, .9, 3, "at least P − 10^-12");
    check({.4, .3, .1999, .1001}, .9, 4, "but .8999 is less");
    check({.4, .3, .2 - 1e-9, .1 + 1e-9}, .9, 4, "10^-9 too little is too little");
    check({1. / 3, 1. / 3, 1. / 3 - 1e-10}, 1, 3, "the sum of all may stay below P: all count");
}

TEST_CASE("any distribution: one token less would not reach P", "[ex05_00]") {
    Rng rng(500);
    for (int round = 0; round < 500; ++round) {
        std::vector<double> p;
        double left = 1;
        for (std::size_t n = rng.below(8); n > 0; --n) {
            p.push_back(left * (.5 + .5 * rng.uniform()));
            left -= p.back();
        }
        p.push_back(left);
        const double P = rng.uniform();
        std::size_t expected = p.size();
        for (std::size_t n = p.size(); n > 0; --n) {
            double sum = 0;
            for (std::size_t i = 0; i < n; ++i) sum += p[i];
            if (sum >= P - 1e-12) expected = n;
        }
        check(p, P, expected, "the smallest number whose sum is P or more");
    }
}
