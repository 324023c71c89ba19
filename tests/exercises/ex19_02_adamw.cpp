// Exercise 19_02: a step of AdamW.
#include "19_02_adamw.hpp"
#include "tests/exercises/rows.hpp"

using namespace tbt;
using namespace tbt::ex19_02;

namespace {

using Row = std::vector<double>;

Adam adam(std::size_t weights, double decay = 0) {
    Adam a;
    a.decay = decay;
    a.m.resize(weights), a.v.resize(weights);
    return a;
}

}  // namespace

TEST_CASE("the first step is as long as the rate, whatever the gradient", "[ex19_02]") {
    for (const double g : {.5, -.5, 100., -1e-3}) {
        Adam a = adam(1);
        Row w{1};
        step(a, w, {g}, .1, 1);
        const std::string given = "w = 1, g = " + in_words(g) + ", rate .1, step 1: ";
        same(w, Row{g > 0 ? .9 : 1.1}, given + "w", "the hats undo that the means began at 0",
             2e-6);
        same(Row{a.m[0], a.v[0]}, Row{.1 * g, .001 * g * g}, given + "m and v",
             "the means are kept without their hats", 1e-12);
    }
}

TEST_CASE("two steps by hand", "[ex19_02]") {
    Adam a = adam(1);
    a.beta_1 = .5, a.beta_2 = .75, a.epsilon = 0;
    Row w{2};
    step(a, w, {1}, 1, 1);  // m = .5, v = .25, hats 1 and 1
    same(Row{w[0], a.m[0], a.v[0]}, Row{1, .5, .25}, "step 1: w, m, v", "", 1e-12);
    step(a, w, {-1}, 1, 2);  // m = −.25, v = .4375, hats −.25/.75 and .4375/.4375
    same(Row{w[0], a.m[0], a.v[0]}, Row{1 + 1 / 3., -.25, .4375}, "step 2: w, m, v",
         "both means forget slowly", 1e-12);
}

TEST_CASE("without a gradient the decay alone shrinks a weight", "[ex19_02]") {
    Adam a = adam(2, .5);
    Row w{4, -8};
    step(a, w, {0, 0}, .1, 1);
    same(w, Row{3.8, -7.6}, "w = {4, -8}, g = 0, decay .5, rate .1", "w − η·λ·w", 1e-12);
    same(a.m, Row{0, 0}, "m after a step without a gradient", "the decay is not in the gradient");
}

TEST_CASE("the decay takes the weight before the step", "[ex19_02]") {
    Adam a = adam(1, .5);
    a.epsilon = 0;
    Row w{4};
    step(a, w, {3}, 1, 1);
    same(w, Row{1}, "w = 4, g = 3, decay .5, rate 1", "4 − 1 − .5·4", 1e-12);
}

TEST_CASE("epsilon is outside the root", "[ex19_02]") {
    Adam a = adam(1);
    a.epsilon = 1;
    Row w{0};
    step(a, w, {3}, 1, 1);
    same(w, Row{-.75}, "g = 3, epsilon 1, rate 1", "3/(√9 + 1)", 1e-12);
    Adam b = adam(1);
    Row still{5};
    step(b, still, {0}, 1, 1);
    same(still, Row{5}, "g = 0", "0/(0 + ε) is 0");
}

TEST_CASE("steps are counted from 1", "[ex19_02]") {
    for (const int t : {0, -1}) {
        Adam a = adam(1);
        Row w{1};
        INFO("t = " << t << ": expected an Error");
        CHECK_THROWS_AS(step(a, w, {1}, .1, t), Error);
    }
}

TEST_CASE("any weights, a hundred steps: the formula", "[ex19_02]") {
    Rng rng(192);
    for (int round = 0; round < 60; ++round) {
        const std::size_t n = 1 + rng.below(4);
        Adam a = adam(n, round % 2 ? .1 * rng.uniform() : 0);
        a.beta_1 = .5 + .49 * rng.uniform(), a.beta_2 = .9 + .099 * rng.uniform();
        Row w = normal_row(rng, n), m(n), v(n);
        Row expected = w;
        double power_1 = 1, power_2 = 1;
        for (int t = 1; t <= 100; ++t) {
            const Row g = normal_row(rng, n);
            const double rate = .1 / t;
            power_1 *= a.beta_1, power_2 *= a.beta_2;
            for (std::size_t i = 0; i < n; ++i) {
                m[i] += (1 - a.beta_1) * (g[i] - m[i]);
                v[i] += (1 - a.beta_2) * (g[i] * g[i] - v[i]);
                expected[i] -=
                    rate * a.decay * expected[i] +
                    rate * (m[i] / (1 - power_1)) / (std::sqrt(v[i] / (1 - power_2)) + a.epsilon);
            }
            step(a, w, g, rate, t);
            const std::string given =
                "step " + std::to_string(t) + " of " + std::to_string(n) + " weights: ";
            same(w, expected, given + "w", "line by line", 1e-10);
            same(a.m, m, given + "m", "line by line", 1e-12);
            same(a.v, v, given + "v", "line by line", 1e-12);
        }
    }
}
