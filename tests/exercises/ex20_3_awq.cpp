// Exercise 20_3: activation-aware rounding.
#include <cmath>
#include <cstdint>

#include "20_3_awq.hpp"
#include "lib/core/rng.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex20_3;

namespace {

// Numbers of a few units, powers and quotients of which are off by some 1e-16 of themselves.
constexpr double exact = 1e-12;

// Rows in which number k is about (k % 5)² times as loud as it would be.
std::vector<Row> random_inputs(std::size_t rows, std::size_t K, std::uint64_t seed) {
    Rng rng(seed);
    std::vector<Row> inputs(rows, Row(K));
    for (Row& x : inputs)
        for (std::size_t k = 0; k < K; ++k)
            x[k] = rng.normal() * static_cast<double>((k % 5) * (k % 5) + 1);
    return inputs;
}

Row random_column(std::size_t K, std::uint64_t seed) {
    Rng rng(seed);
    Row w(K);
    for (double& v : w) v = rng.normal();
    return w;
}

double loss_of(const Row& w, const Row& rounded, const std::vector<Row>& inputs) {
    double sum = 0;
    for (const Row& x : inputs) {
        double off = 0;
        for (std::size_t k = 0; k < w.size(); ++k) off += x[k] * (w[k] - rounded[k]);
        sum += off * off;
    }
    return sum;
}

}  // namespace

TEST_CASE("loudness is the mean of what is there without its sign", "[ex20_3]") {
    THINK("the mean over the inputs, of |x_k|: −3 is as loud as 3");
    const std::vector<Row> inputs = {{1, -4, 0}, {-3, 4, 0}};
    INPUT(inputs);
    CHECK_NEAR(loudness(inputs), (Row{2, 4, 0}), exact);
    const std::vector<Row> one = {{-0.5, 2}};
    INPUT(one);
    CHECK_NEAR(loudness(one), (Row{0.5, 2}), exact);
}

TEST_CASE("by hand: w = (1, .3), a = (1, 4), 2 bits", "[ex20_3]") {
    const Row w = {1, 0.3}, a = {1, 4};
    INPUT(w, a);
    {
        THINK("alpha = 0 is rounding to the nearest: s is 1 everywhere, and .3 is nearer to 0");
        CHECK_NEAR(awq(w, a, 0, 2), (Row{1, 0}), exact);
    }
    {
        THINK("s = (1, 2), v = (1, .6), the marks are −1, 0 and 1; then divide by s again");
        CHECK_NEAR(awq(w, a, 0.5, 2), (Row{1, 0.5}), exact);
    }
    {
        THINK("v = (1, 1.2): the largest |v| is 1.2 now, and so is the step");
        CHECK_NEAR(awq(w, a, 1, 2), (Row{1.2, 0.3}), exact);
    }
}

TEST_CASE("signs, more bits, and inputs that never speak", "[ex20_3]") {
    const Row w = {-7, 3.4, 0.6, -2.5}, a = {1, 1, 0, 1};
    INPUT(w, a);
    THINK("4 bits have 7 marks to each side; |v| for the ruler; s is 1 where a is 0");
    CHECK_NEAR(awq(w, a, 0.5, 4), (Row{-7, 3, 1, -2}), exact);
    const Row quiet = {2, 1}, uneven = {0, 9};
    INPUT(quiet, uneven);
    // v = (2, 3), step 3/7: 2 is 4.67 steps, so 5; the second is the longest and stays.
    CHECK_NEAR(awq(quiet, uneven, 0.5, 4), (Row{15.0 / 7, 1}), exact);
}

TEST_CASE("halfway goes to the even mark: −2.5 becomes −2", "[ex20_3]") {
    THINK("−2.5 lies halfway between −3 and −2, and −2 is even");
    const Row w = {-2.5, -0.5, 0.5, 2.5, 7}, a = {1, 1, 1, 1, 1};
    INPUT(w, a);
    CHECK_NEAR(awq(w, a, 0.5, 4), (Row{-2, 0, 0, 2, 7}), exact);
}

TEST_CASE("a column of zeros stays zeros", "[ex20_3]") {
    THINK("with scale 0 nothing may be divided by it");
    const Row w = {0, 0, 0}, a = {1, 2, 3};
    INPUT(w, a);
    CHECK(awq(w, a, 0.5, 4) == (Row{0, 0, 0}));
    const std::vector<Row> inputs = {{1, 2, 3}};
    INPUT(inputs);
    CHECK(best_alpha(w, inputs, 4) == 0);
}

TEST_CASE("the best alpha by hand: .9 for the one input (1, 4)", "[ex20_3]") {
    THINK("the outputs are compared, x · w = 2.2: 1 with alpha 0, 2.2447 with .9, 2.4 with 1");
    const Row w = {1, 0.3};
    const std::vector<Row> inputs = {{1, 4}};
    INPUT(w, inputs);
    CHECK_NEAR(best_alpha(w, inputs, 2), 0.9, exact);
}

TEST_CASE("all eleven alphas are tried, errors are squared input by input", "[ex20_3]") {
    THINK("Σ_x (x · (w − ŵ))²: the errors of two inputs must not cancel; 0 and 1 are tried too");
    int zero = 0, one = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const std::size_t K = 1 + seed % 9;
        const int bits = 2 + static_cast<int>(seed % 3);
        Row w = random_column(K, seed);
        if (seed % 2)
            for (double& v : w) v *= 1e-8;  // then all losses are tiny
        const std::vector<Row> inputs = random_inputs(1 + seed % 6, K, seed + 1000);
        INPUT(w, inputs, bits);
        const double alpha = best_alpha(w, inputs, bits);
        double least = HUGE_VAL;
        const Row a = loudness(inputs);
        for (int tenths = 0; tenths <= 10; ++tenths)
            least = std::min(least, loss_of(w, awq(w, a, tenths / 10.0, bits), inputs));
        const double got = loss_of(w, awq(w, a, alpha, bits), inputs);
        EXPECT(std::abs(alpha * 10 - std::round(alpha * 10)) <= exact && alpha >= 0 && alpha <= 1,
               "one of 0, 0.1, …, 1", alpha);
        EXPECT(got <= least * (1 + 1e-9) + 1e-24, "the least loss of the eleven", alpha);
        zero += alpha == 0, one += alpha == 1;
    }
    // With these seeds both ends are best now and then.
    EXPECT(zero > 0, "alpha 0 is the best at times", zero);
    EXPECT(one > 0, "alpha 1 is the best at times", one);
}

TEST_CASE("of equal losses the first alpha", "[ex20_3]") {
    THINK("one weight is its own ruler: it is exact with every alpha, so 0 is the answer");
    const Row w = {2};
    const std::vector<Row> inputs = {{1}, {-1}};  // a = 1, and s = 1 whatever alpha is
    INPUT(w, inputs);
    CHECK(best_alpha(w, inputs, 4) == 0);
}

TEST_CASE("it helps where some inputs are loud", "[ex20_3]") {
    THINK("loud inputs need finer steps: multiply by s before rounding, divide after");
    double nearest = 0, mine = 0;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const Row w = random_column(10, seed);
        const std::vector<Row> inputs = random_inputs(20, 10, seed + 1);
        const Row a = loudness(inputs);
        nearest += loss_of(w, awq(w, a, 0, 4), inputs);
        mine += loss_of(w, awq(w, a, best_alpha(w, inputs, 4), 4), inputs);
    }
    EXPECT(mine < 0.7 * nearest, "less than 0.7 of what rounding to the nearest loses",
           mine / nearest);
}

TEST_CASE("what fits nowhere is refused", "[ex20_3]") {
    THINK("check the lengths and the bits before anything is computed");
    CHECK_THROWS_AS(loudness({}), Error);
    CHECK_THROWS_AS(loudness({{1, 2}, {1}}), Error);
    CHECK_THROWS_AS(awq({1, 2}, {1}, 0.5, 4), Error);
    CHECK_THROWS_AS(awq({1}, {1, 2}, 0.5, 4), Error);
    CHECK_THROWS_AS(awq({1}, {1}, 0.5, 1), Error);
    CHECK_THROWS_AS(awq({1}, {1}, 0.5, 9), Error);
    CHECK_THROWS_AS(best_alpha({1, 2}, {{1}}, 4), Error);
    CHECK_THROWS_AS(best_alpha({1}, {}, 4), Error);
}
