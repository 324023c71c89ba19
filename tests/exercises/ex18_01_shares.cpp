// Exercise 18_01: how a position shares its attention.
#include <numeric>

#include "18_01_shares.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex18_01;

namespace {

// Sums of at most eight products, and the rounding of exp: 10⁻¹² is far above both.
constexpr double tolerance = 1e-12;

const Checker check_score("score(q, k)", ex18_01::score, tolerance);
const Checker check_shares("shares(q, keys, t)", ex18_01::shares, tolerance);

}  // namespace

TEST_CASE("a query of one channel: the product, divided by √1", "[ex18_01]") {
    check_score({3}, {2}, 6, "√1 is 1");
    check_score({3}, {-2}, -6, "a score may be below 0");
    check_score({0}, {5}, 0, "nothing in common");
}

TEST_CASE("the lesson's numbers: scores 1.414 and 0", "[ex18_01]") {
    check_score({1, 0}, {2, 0}, 2 / std::sqrt(2.0), "D = 2, the length of a row");
    check_score({1, 0}, {0, 3}, 0, "numbers at the same place are multiplied");
    check_score({1, 2, 3, 4}, {1, 1, 1, 1}, 5, "10 divided by √4");
    check_score({1, 2, 3, 4}, {4, 3, 2, 1}, 10, "(4 + 6 + 6 + 4) / √4: q is not turned round");
    check_score({2, 0, 0, 0}, {3, 0, 0, 0}, 3, "6 divided by √4: lengths of rows do not matter");
    check_score({1e8, 1, 0, 0}, {1e8, 1, 0, 0}, (1e16 + 1) / 2, "in doubles");
}

TEST_CASE("the lesson's shares: four fifths from the first key", "[ex18_01]") {
    const std::vector<Row> keys = {{2, 0}, {0, 3}};
    const double e = std::exp(std::sqrt(2.0));
    check_shares({1, 0}, keys, 1, {e / (e + 1), 1 / (e + 1)}, "softmax of 1.414 and 0");
    check_shares({1, 0}, keys, 0, {1, 0},
                 "position 0 sees itself alone; all of it comes from there");
}

TEST_CASE("position t sees itself, and nothing after it", "[ex18_01]") {
    const std::vector<Row> keys(4, Row{1});
    check_shares({1}, keys, 0, {1, 0, 0, 0}, "key 0 alone");
    check_shares({1}, keys, 1, {.5, .5, 0, 0}, "keys 0 and 1: u <= t");
    check_shares({1}, keys, 2, {1. / 3, 1. / 3, 1. / 3, 0}, "the shares of those it sees sum to 1");
    check_shares({1}, keys, 3, {.25, .25, .25, .25}, "the last position sees all");
    check_shares({1}, {{0}, {0}, {50}}, 1, {.5, .5, 0},
                 "a masked key takes nothing, however well it would fit");
    check_shares({-2}, {{3}, {3}, {0}, {0}}, 1, {.5, .5, 0, 0},
                 "a masked score is −∞, not 0: 0 would be a good score here");
    for (const double far : {1e5, 1e10, 1e20, 1e40})
        check_shares({-far}, {{1}, {1}, {0}}, 1, {.5, .5, 0},
                     "no number is small enough for a mask: only −∞ is below every score");
}

TEST_CASE("scores of either sign, and large ones", "[ex18_01]") {
    const double e = std::exp(2.0);
    check_shares({1}, {{-1}, {1}}, 1, {1 / (1 + e), e / (1 + e)}, "a score may be below 0");
    check_shares({10}, {{100}, {100}}, 1, {.5, .5}, "softmax takes the largest away first");
    check_shares({1, 1, 1, 1}, {{1, 0, 0, 0}, {1, 1, 1, 1}}, 1,
                 {1 / (1 + std::exp(1.5)), std::exp(1.5) / (1 + std::exp(1.5))},
                 "scores 1/2 and 4/2: divided by √D before softmax");
}

TEST_CASE("any rows: e to the score, divided by the sum over those that are seen", "[ex18_01]") {
    Rng rng(1801);
    for (int round = 0; round < 400; ++round) {
        const std::size_t D = 1 + rng.below(8), T = 1 + rng.below(6), t = rng.below(T);
        const auto row = [&] {
            Row x(D);
            for (double& v : x) v = double(rng.below(9)) / 2 - 2;
            return x;
        };
        const Row q = row();
        std::vector<Row> keys;
        Row expected(T, 0.0);
        for (std::size_t u = 0; u < T; ++u) {
            keys.push_back(row());
            const double product = std::inner_product(q.begin(), q.end(), keys[u].begin(), 0.0);
            if (u <= t) expected[u] = std::exp(product / std::sqrt(double(D)));
        }
        check_shares(q, keys, t, divided_by_sum(expected), "score all keys up to t, then softmax");
    }
}
