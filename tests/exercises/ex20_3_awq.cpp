// Exercise 20_3: activation-aware rounding.
#include "20_3_awq.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex20_3;

namespace {

// Numbers of a few units, powers and quotients of which are off by some 1e-16 of themselves.
constexpr double exact = 1e-12;
const Checker check_loudness("loudness(inputs)", ex20_3::loudness, exact);
const Checker check_awq("awq(w, a, alpha, bits)", ex20_3::awq, exact);
const Checker check_best("best_alpha(w, inputs, bits)", ex20_3::best_alpha, exact);

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
    return normal_row(rng, K);
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
    check_loudness({{1, -4, 0}, {-3, 4, 0}}, {2, 4, 0});
    check_loudness({{-0.5, 2}}, {0.5, 2});
}

TEST_CASE("by hand: w = (1, .3), a = (1, 4), 2 bits", "[ex20_3]") {
    check_awq({1, 0.3}, {1, 4}, 0, 2, {1, 0},
              "alpha = 0 is rounding to the nearest: s is 1 everywhere, and .3 is nearer to 0");
    check_awq({1, 0.3}, {1, 4}, 0.5, 2, {1, 0.5},
              "s = (1, 2), v = (1, .6), the marks are −1, 0 and 1; then divide by s again");
    check_awq({1, 0.3}, {1, 4}, 1, 2, {1.2, 0.3},
              "v = (1, 1.2): the largest |v| is 1.2 now, and so is the step");
}

TEST_CASE("signs, more bits, and inputs that never speak", "[ex20_3]") {
    THINK("4 bits have 7 marks to each side; |v| for the ruler; s is 1 where a is 0");
    check_awq({-7, 3.4, 0.6, -2.5}, {1, 1, 0, 1}, 0.5, 4, {-7, 3, 1, -2});
    // v = (2, 3), step 3/7: 2 is 4.67 steps, so 5; the second is the longest and stays.
    check_awq({2, 1}, {0, 9}, 0.5, 4, {15.0 / 7, 1});
}

TEST_CASE("halfway goes to the even mark: −2.5 becomes −2", "[ex20_3]") {
    check_awq({-2.5, -0.5, 0.5, 2.5, 7}, {1, 1, 1, 1, 1}, 0.5, 4, {-2, 0, 0, 2, 7},
              "−2.5 lies halfway between −3 and −2, and −2 is even");
}

TEST_CASE("a column of zeros stays zeros", "[ex20_3]") {
    THINK("with scale 0 nothing may be divided by it");
    check_awq({0, 0, 0}, {1, 2, 3}, 0.5, 4, {0, 0, 0});
    check_best({0, 0, 0}, {{1, 2, 3}}, 4, 0);
}

TEST_CASE("the best alpha by hand: .9 for the one input (1, 4)", "[ex20_3]") {
    THINK("the outputs are compared, x · w = 2.2: 1 with alpha 0, 2.2447 with .9, 2.4 with 1");
    check_best({1, 0.3}, {{1, 4}}, 2, 0.9);
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
    check_best({2}, {{1}, {-1}}, 4, 0);  // a = 1, and s = 1 whatever alpha is
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
