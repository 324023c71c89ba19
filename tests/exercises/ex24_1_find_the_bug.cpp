// Exercise 24_1: a divergence that is negative.
#include <numeric>

#include "24_1_find_the_bug.hpp"
#include "chapters/24_which_decoder/plain_measures.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex24_1;

namespace {

double sum(const std::vector<double>& p) { return std::accumulate(p.begin(), p.end(), 0.0); }

}  // namespace

TEST_CASE("the witness is better than perfect", "[ex24_1]") {
    THINK("let q write mostly what p never does");
    const auto [q, p] = witness();
    INPUT(q, p);
    EXPECT(q.size() == p.size() && q.size() <= 8, "the same texts, at most 8", q.size());
    bool probabilities = true;
    for (std::size_t x = 0; x < q.size(); ++x)
        probabilities = probabilities && q[x] >= 0 && p[x] >= 0;
    EXPECT(probabilities, "no negative probability", q);
    EXPECT(std::abs(sum(q) - 1) < 1e-9 && std::abs(sum(p) - 1) < 1e-9, "each sum is 1", sum(q));
    const double found = over_valid(q, p);
    EXPECT(found < -1, "over_valid below -1", found);
}

TEST_CASE("among the valid texts q is a distribution again", "[ex24_1]") {
    THINK("divide q by its sum over the valid texts, everywhere in the formula");
    CHECK_NEAR(given_valid({.1, .1, .8}, {.5, .5, 0}), 0, 1e-12);
    CHECK_NEAR(given_valid({.1, .3, .6}, {.5, .5, 0}), .188721876, 1e-8);
    CHECK_NEAR(given_valid({.5, .5}, {.25, .75}), .20751875, 1e-7);
    CHECK_NEAR(given_valid({0, 1}, {1, 0}), 0, 1e-12);
    CHECK_NEAR(given_valid({0, .5, .5}, {.5, .5, 0}), 1, 1e-12);
}

TEST_CASE("random distributions: never negative", "[ex24_1]") {
    THINK("the same formula, with the divided q");
    Rng rng(3);
    for (int round = 0; round < 200; ++round) {
        const std::vector<double> q = random_distribution(rng, 5),
                                  p = random_distribution(rng, 5, 3);
        std::vector<double> given = q;
        for (std::size_t i = 0; i < 5; ++i)
            if (p[i] == 0) given[i] = 0;
        INPUT(q, p);
        CHECK_NEAR(given_valid(q, p), plain_kl(divided_by_sum(given), p), 1e-9);
    }
}
