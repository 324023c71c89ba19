// Exercise 12_00: when is a guess accepted, and what takes its place?
#include "12_00_chance.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex12_00;

namespace {

const Checker check_chance("chance(p, q, x)", ex12_00::chance, 1e-15);  // one quotient
const Checker check_residual("residual(p, q)", ex12_00::residual,
                             1e-12);  // differences near .01, divided

const Distribution target = {.5, .3, .2}, draft = {.2, .3, .5};

}  // namespace

TEST_CASE("the lesson's guesses: always, always, two times in five", "[ex12_00]") {
    check_chance(target, draft, 2, .4, ".2 / .5");
    check_chance(target, draft, 0, 1, "the target likes it better: always, and no more than that");
    check_chance(target, draft, 1, 1, "both like it as much: always");
    check_chance({0, 1}, {.5, .5}, 0, 0, "the target never writes it");
    check_chance({.9, .1}, {.1, .9}, 1, .1 / .9, "the target's divided by the draft's");
    check_chance({.5, .5}, {1, 0}, 0, .5, "a draft that was certain");
}

TEST_CASE("the lesson's residual: all becomes token 0", "[ex12_00]") {
    check_residual(target, draft, {1, 0, 0}, ".3, 0 and −.3: what is below 0 is nothing");
    check_residual({.6, .3, .1}, {.2, .2, .6}, {.8, .2, 0}, ".4 and .1 are left, divided by .5");
    check_residual({.25, .25, .25, .25}, {.5, .3, .1, .1}, {0, 0, .5, .5},
                   "what the draft had too little of");
    check_residual({.5, .5}, {1, 0}, {0, 1}, "token 0 was served in full");
    check_residual({0, 1}, {1, 0}, {0, 1}, "nothing in common: p itself");
}

TEST_CASE("any distributions: guess, judge, correct, and what comes out is p", "[ex12_00]") {
    Rng rng(1200);
    for (int round = 0; round < 200; ++round) {
        const std::size_t V = 2 + rng.below(5);
        const Distribution p = random_distribution(rng, V), q = random_distribution(rng, V);
        Distribution expected(V), out(V);
        double sum = 0, rejected = 0;
        for (std::size_t i = 0; i < V; ++i) sum += expected[i] = p[i] > q[i] ? p[i] - q[i] : 0;
        for (double& x : expected) x /= sum;
        check_residual(p, q, expected, "max(0, p − q), divided by its sum");
        for (std::size_t x = 0; x < V; ++x) {
            check_chance(p, q, x, p[x] < q[x] ? p[x] / q[x] : 1, "min(1, p(x) / q(x))");
            out[x] = q[x] * chance(p, q, x);
            rejected += q[x] - out[x];
        }
        for (std::size_t x = 0; x < V; ++x) out[x] += rejected * residual(p, q)[x];
        INPUT(p, q);
        THINK("accepted guesses and corrections together have the target's distribution");
        CHECK_NEAR(out, p, 1e-12);
    }
}
