// Exercise 24_1: a divergence that is negative.
#include "24_1_find_the_bug.hpp"
#include "chapters/24_which_decoder/plain_measures.hpp"
#include "lib/core/rng.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex24_1;

namespace {

double sum(const std::vector<double>& p) {
    double all = 0;
    for (const double x : p) all += x;
    return all;
}

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
    CHECK(given_valid({.1, .1, .8}, {.5, .5, 0}) == Approx(0).margin(1e-12));
    CHECK(given_valid({.1, .3, .6}, {.5, .5, 0}) == Approx(.188721876).margin(1e-8));
    CHECK(given_valid({.5, .5}, {.25, .75}) == Approx(.20751875).margin(1e-7));
    CHECK(given_valid({0, 1}, {1, 0}) == Approx(0).margin(1e-12));
    CHECK(given_valid({0, .5, .5}, {.5, .5, 0}) == Approx(1).margin(1e-12));
}

TEST_CASE("random distributions: never negative", "[ex24_1]") {
    THINK("the same formula, with the divided q");
    Rng rng(3);
    for (int round = 0; round < 200; ++round) {
        std::vector<double> q(5), p(5), given;
        for (std::size_t i = 0; i < 5; ++i)
            q[i] = rng.uniform(), p[i] = rng.below(3) == 0 && i > 0 ? 0 : .01 + rng.uniform();
        const double all_q = sum(q), all_p = sum(p);
        double valid = 0;
        for (std::size_t i = 0; i < 5; ++i) {
            q[i] /= all_q, p[i] /= all_p;
            if (p[i] > 0) valid += q[i];
        }
        for (std::size_t i = 0; i < 5; ++i) given.push_back(p[i] > 0 ? q[i] / valid : 0);
        INPUT(q, p);
        CHECK(given_valid(q, p) == Approx(plain_kl(given, p)).margin(1e-9));
    }
}
