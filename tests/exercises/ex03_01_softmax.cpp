// Exercise 03_01: softmax at a temperature.
#include "03_01_softmax.hpp"
#include "chapters/03_temperature/plain_temperature.hpp"
#include "tests/exercises/rows.hpp"

using namespace tbt;
using namespace tbt::ex03_01;

namespace {

using Distribution = std::vector<double>;

void check(const std::vector<float>& s, double T, const Distribution& expected, double tolerance,
           const std::string& think) {
    same([&] { return probabilities(s, T); }, expected,
         "logits " + in_words(s) + ", T = " + in_words(T), think, tolerance);
}

const std::vector<float> one_two_three{0, std::log(2.0f), std::log(3.0f)};
constexpr double of_floats = 1e-7;  // the logarithms above are rounded to floats

}  // namespace

TEST_CASE("ln 1, ln 2, ln 3", "[ex03_01]") {
    check(one_two_three, 1, {1 / 6., 2 / 6., 3 / 6.}, of_floats, "e to each, divided by the sum");
    check(one_two_three, .5, {1 / 14., 4 / 14., 9 / 14.}, of_floats, "T divides the logits");
}

TEST_CASE("equal logits have equal probabilities, at every temperature", "[ex03_01]") {
    for (const double T : {.01, 1., 50.}) check({7, 7, 7, 7}, T, {.25, .25, .25, .25}, 1e-15, "");
    check({-3}, .3, {1}, 0, "one token alone");
}

TEST_CASE("enormous logits have a softmax too", "[ex03_01]") {
    check({1000, 1000}, 1, {.5, .5}, 1e-15, "subtract the largest logit first");
    check({-1000, -1000}, 1, {.5, .5}, 1e-15, "subtract the largest logit first");
    check({100, 90}, .01, {1, 0}, 1e-15, "subtract the largest logit first, then divide by T");
    check({-100, -90}, .01, {0, 1}, 1e-15, "subtract the largest logit, whatever its sign");
}

TEST_CASE("a masked token has probability 0", "[ex03_01]") {
    check({-INFINITY, 2, -INFINITY, 2}, 1, {0, .5, 0, .5}, 1e-15, "e^−∞ is 0");
}

TEST_CASE("a softmax in doubles, not floats", "[ex03_01]") {
    // 1/(1 + e^−1) to sixteen digits
    check({1, 0}, 1, {.7310585786300049, .2689414213699951}, 1e-14, "nine digits more than floats");
}

TEST_CASE("a temperature must be a number above 0", "[ex03_01]") {
    for (const double T : {0., -1., -HUGE_VAL, HUGE_VAL, std::nan("")}) {
        INPUT(T);
        CHECK_THROWS_AS(probabilities(one_two_three, T), UsageError);
    }
}

TEST_CASE("random rows: the same as the chapter's softmax", "[ex03_01]") {
    Rng rng(31);
    for (int round = 0; round < 3000; ++round) {
        const std::vector<float> s = some_row(rng, round);
        const double T = std::exp(2 * rng.normal());
        // The chapter rounds each weight to a unit of 2^-44.
        check(s, T, softmax_at(s, T), 1e-11, "the formula, term by term");
    }
}
