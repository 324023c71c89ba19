// Exercise 18_1: one attention head.
#include "18_1_attention_head.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex18_1;

namespace {

Rows random_rows(std::size_t T, std::size_t D, std::uint64_t seed, double width = 2) {
    Rng rng(seed);
    Rows rows(T, Row(D));
    for (Row& row : rows)
        for (float& v : row) v = static_cast<float>((rng.uniform() - 0.5) * width);
    return rows;
}

// Floats are summed in any order: T · D roundings of 2^-24 of numbers around 1.
constexpr double rounding = 1e-4;

void check_answers(const Rows& q, const Rows& k, const Rows& v, const Rows& expected) {
    INPUT(q, k, v);
    const Rows out = attend(q, k, v);
    REQUIRE(out.size() == expected.size());
    for (std::size_t t = 0; t < out.size(); ++t) {
        INFO("position " << t);
        CHECK_NEAR(out[t], expected[t], rounding);
    }
}

}  // namespace

TEST_CASE("the first position sees itself only, so its answer is its own value", "[ex18_1]") {
    const Rows q = random_rows(3, 4, 1), k = random_rows(3, 4, 2), v = random_rows(3, 4, 3);
    INPUT(q, k, v);
    INFO("think about: softmax over one score is 1, whatever the score");
    const Rows out = attend(q, k, v);
    REQUIRE(out.size() == 3);
    REQUIRE(out[0].size() == 4);
    CHECK_NEAR(out[0], v[0], rounding);
}

TEST_CASE("a query that matches no key better than another gets the mean of what it sees",
          "[ex18_1]") {
    THINK("all scores are equal, so all weights are");
    check_answers(Rows(3, Row{0, 0}), random_rows(3, 2, 4), {{1, 10}, {3, 20}, {8, 60}},
                  {{1, 10}, {2, 15}, {4, 30}});
}

TEST_CASE("a query that matches one key returns that key's value", "[ex18_1]") {
    INFO("scores of " << 10000 / std::sqrt(3.0)
                      << "; think about: e to the power of that, in a float");
    check_answers({{100, 0, 0}, {100, 0, 0}, {0, 100, 0}, {0, 0, 100}},
                  {{100, 0, 0}, {0, 100, 0}, {0, 0, 100}, {100, 0, 0}},
                  {{1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {4, 0, 0}},
                  {{1, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}});
}

TEST_CASE("the width of a head divides the score by its root, not by itself", "[ex18_1]") {
    THINK("the score is q · k / √D");
    // D = 4: scores 4/2 = 2 and 0; the shares are e^2/(e^2 + 1) and the rest.
    const float share = static_cast<float>(std::exp(2.0) / (std::exp(2.0) + 1));
    INFO("position 1: the shares of scores 2 and 0");
    check_answers({{1, 1, 1, 1}, {1, 1, 1, 1}}, {{1, 1, 1, 1}, {0, 0, 0, 0}},
                  {{1, 0, 0, 0}, {0, 1, 0, 0}}, {{1, 0, 0, 0}, {share, 1 - share, 0, 0}});
}

TEST_CASE("what comes after a position changes nothing there", "[ex18_1]") {
    THINK("position t sees 0 to t");
    const Rows q = random_rows(6, 5, 5, 8);
    Rows k = random_rows(6, 5, 6, 8), v = random_rows(6, 5, 7);
    INPUT(q, k, v);
    const Rows before = attend(q, k, v);
    k[5] = Row(5, 50.0f), v[5] = Row(5, -1000.0f);
    const Rows after = attend(q, k, v);
    for (std::size_t t = 0; t < 5; ++t) {
        INFO("key and value of position 5 were changed; the answer at " << t
                                                                        << ", after and before");
        CHECK(after[t] == before[t]);
    }
    REQUIRE(before[5] != after[5]);
}

TEST_CASE("against the definition, in doubles, on random rows", "[ex18_1]") {
    THINK("max of the scores first, exp of the differences, divide by their sum");
    for (const std::size_t T : {1u, 2u, 7u, 40u}) {
        const std::size_t D = 8;
        const Rows q = random_rows(T, D, 8 + T, 6), k = random_rows(T, D, 9 + T, 6),
                   v = random_rows(T, D, 10 + T);
        Rows expected(T);
        for (std::size_t t = 0; t < T; ++t) {
            double sum = 0;
            std::vector<double> mixed(D);
            for (std::size_t u = 0; u <= t; ++u) {
                double s = 0;
                for (std::size_t d = 0; d < D; ++d)
                    s += static_cast<double>(q[t][d]) * static_cast<double>(k[u][d]);
                const double a = std::exp(s / std::sqrt(8.0));
                sum += a;
                for (std::size_t d = 0; d < D; ++d) mixed[d] += a * static_cast<double>(v[u][d]);
            }
            for (const double x : mixed) expected[t].push_back(static_cast<float>(x / sum));
        }
        check_answers(q, k, v, expected);
    }
}

TEST_CASE("rows that do not fit together are refused; no rows give no rows", "[ex18_1]") {
    THINK("all rows of q, k and v have the same width and number");
    const Rows two(2, Row(3, 1.0f)), three(3, Row(3, 1.0f)), narrow = {{1, 1, 1}, {1, 1}};
    INFO("two and three are so many rows of three numbers, narrow is {{1, 1, 1}, {1, 1}}");
    CHECK_THROWS_AS(attend(two, three, two), Error);
    CHECK_THROWS_AS(attend(two, two, three), Error);
    CHECK_THROWS_AS(attend(three, two, three), Error);
    CHECK_THROWS_AS(attend(three, three, two), Error);
    CHECK_THROWS_AS(attend(two, narrow, two), Error);
    CHECK_THROWS_AS(attend(two, two, narrow), Error);
    CHECK(attend({}, {}, {}).size() == 0);
}

TEST_CASE("scores in the hundreds below 0", "[ex18_1]") {
    INFO("think about: the greatest score is -300, and e^-300 is less than a float holds");
    check_answers({{1}, {1}}, {{-300}, {-300}}, {{2}, {6}}, {{2}, {4}});
}
