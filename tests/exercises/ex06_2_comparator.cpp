// Exercise 06_2: entropy, divergence, frequencies, and eight strategies over a Zipf distribution.
#include "06_2_comparator.hpp"
#include "chapters/06_combining/chain.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex06_2;

namespace {

using Distribution = std::vector<double>;

// The first n of 1000 Zipf tokens.
Distribution zipf(int n) {
    Distribution p(1000, 0.0);
    for (int i = 1; i <= n; ++i) p[static_cast<std::size_t>(i - 1)] = 1.0 / i;
    return divided_by_sum(p);
}

std::vector<int> draws_of(const Distribution& distribution, int n, std::uint64_t seed) {
    std::vector<float> logits;
    for (const double x : distribution) logits.push_back(static_cast<float>(portable_log(x)));
    Candidates c(logits);
    Rng rng(seed);
    std::vector<int> draws;
    for (int i = 0; i < n; ++i) draws.push_back(draw(c, rng.uniform()));
    return draws;
}

struct Row {
    const char* name;
    int kept;
    double entropy, exact_kl, unique, unique_sd, drawn_entropy, entropy_sd, drawn_kl, kl_sd;
};
// A standard deviation below the last printed digit counts as one unit of it.
const Row table[] = {
    {"greedy", 1, 0, 2.012964, 1, .1, 0, 1e-6, 2.012964, 1e-6},
    {"pure", 1000, 5.191011, 0, 333.7, 11, 4.774786, .063, .416225, .0146},
    {"k = 10", 10, 1.993806, .938314, 10, .1, 1.989292, .025, .942827, .0022},
    {"k = 20", 20, 2.527997, .732658, 20, .1, 2.518431, .032, .742224, .0031},
    {"k = 50", 50, 3.197126, .509063, 49.9, .31, 3.172020, .040, .534170, .0052},
    {"p = .5", 24, 2.664233, .684310, 24, .1, 2.652632, .034, .695911, .0035},
    {"p = .9", 473, 4.713056, .105295, 256.6, 8.6, 4.469260, .060, .349090, .0118},
    {"p = .95", 688, 4.953581, .051218, 296.3, 10, 4.629742, .062, .375058, .0126},
};

}  // namespace

TEST_CASE("a fair coin has ln 2, and against a biased one .143841", "[ex06_2]") {
    CHECK_NEAR(entropy(Distribution{.5, .5}), .693147, 1e-6);
    CHECK_NEAR(kl(Distribution{.5, .5}, Distribution{.25, .75}), .143841, 1e-6);
    INFO("think about: the two directions differ");
    CHECK_NEAR(kl(Distribution{.25, .75}, Distribution{.5, .5}), .130812, 1e-6);
}

TEST_CASE("what cannot happen adds nothing", "[ex06_2]") {
    THINK("0 · ln 0 counts as 0");
    CHECK(entropy(Distribution{0, 1, 0}) == 0);
    CHECK_NEAR(kl(Distribution{0, 1, 0}, Distribution{.5, .25, .25}), std::log(4), 1e-12);
    CHECK(kl(Distribution{0, 1}, Distribution{0, 1}) == 0);
}

TEST_CASE("what happened and was impossible is infinitely far away", "[ex06_2]") {
    THINK("q(i) · ln(q(i) / 0)");
    CHECK(kl(Distribution{.5, .5}, Distribution{1, 0}) == std::numeric_limits<double>::infinity());
    CHECK(kl(zipf(1000), zipf(10)) == std::numeric_limits<double>::infinity());
}

TEST_CASE("frequencies are counts over draws", "[ex06_2]") {
    THINK("a place for each of V tokens, also for those that never came");
    CHECK(frequencies(std::vector<int>{2, 0, 2, 2}, 5) == Distribution{.25, 0, .75, 0, 0});
    CHECK(frequencies(std::vector<int>{0}, 1) == Distribution{1});
}

TEST_CASE("distributions of different size, ids from elsewhere and no draws are refused",
          "[ex06_2]") {
    THINK("check sizes and ids before you count");
    CHECK_THROWS_AS(kl(Distribution{1}, Distribution{.5, .5}), Error);
    CHECK_THROWS_AS(frequencies(std::vector<int>{}, 3), Error);
    CHECK_THROWS_AS(frequencies(std::vector<int>{0, 3}, 3), Error);
    CHECK_THROWS_AS(frequencies(std::vector<int>{-1}, 3), Error);
}

TEST_CASE("the exact values of eight strategies over 1000 Zipf tokens", "[ex06_2]") {
    THINK("Σ q ln(q/p), over the i with q > 0");
    for (const Row& row : table) {
        INFO("the first " << row.kept << " of 1000 Zipf tokens (" << row.name << ")");
        CHECK_NEAR(entropy(zipf(row.kept)), row.entropy, 1e-6);  // printed with six places
        CHECK_NEAR(kl(zipf(row.kept), zipf(1000)), row.exact_kl, 1e-6);
    }
}

TEST_CASE("a thousand draws of each strategy", "[ex06_2]") {
    for (const Row& row : table) {
        const Distribution empirical = frequencies(draws_of(zipf(row.kept), 1000, 11), 1000);
        const auto unique = 1000 - std::count(empirical.begin(), empirical.end(), 0.0);
        INFO(row.name << ": " << unique << " different tokens");
        // Four standard deviations.
        CHECK_NEAR(static_cast<double>(unique), row.unique, 4 * row.unique_sd);
        CHECK_NEAR(entropy(empirical), row.drawn_entropy, 4 * row.entropy_sd);
        CHECK_NEAR(kl(empirical, zipf(1000)), row.drawn_kl, 4 * row.kl_sd);
        INFO(
            "think about: the truncated distribution is p times a constant, so the logarithm of "
            "that constant is all that changes");
        CHECK_NEAR(kl(empirical, zipf(1000)) - kl(empirical, zipf(row.kept)), row.exact_kl, 1e-6);
    }
}

TEST_CASE("a rounding below 0 is 0, whatever it comes from", "[ex06_2]") {
    INFO("think about: 1 + 2^-52 is as good a probability as 1; its logarithm is above 0");
    const double above = 1 + 0x1p-52;
    CHECK(entropy(Distribution{above}) == 0);
    CHECK(entropy(Distribution{0, above, 0}) == 0);
    CHECK(kl(Distribution{1}, Distribution{above}) == 0);
    CHECK(kl(Distribution{.5, .5}, Distribution{.5 + 0x1p-52, .5 + 0x1p-52}) == 0);
    CHECK(kl(Distribution{0, 1}, Distribution{0, above}) == 0);
}

TEST_CASE("small probabilities count", "[ex06_2]") {
    // 1e-9 · ln 1e9 is 2e-8
    CHECK_NEAR(entropy(Distribution{1 - 1e-9, 1e-9}), 2.1723265846e-8, 1e-15);
    CHECK_NEAR(kl(Distribution{1 - 1e-9, 1e-9}, Distribution{.5, .5}),
               (std::log(2) - 2.1723265846e-8), 1e-12);
    CHECK(kl(Distribution{1 - 1e-9, 1e-9}, Distribution{1, 0}) ==
          std::numeric_limits<double>::infinity());
    CHECK_NEAR(kl(Distribution{.5, .5}, Distribution{1 - 1e-300, 1e-300}),
               (std::log(.5) - .5 * std::log(1e-300)), 1e-9);
}

TEST_CASE("distributions of different size are refused either way round", "[ex06_2]") {
    CHECK_THROWS_AS(kl(Distribution{.5, .5}, Distribution{1}), Error);
    CHECK_THROWS_AS(kl(Distribution{}, Distribution{1}), Error);
    CHECK_THROWS_AS(kl(Distribution{0, 1}, Distribution{0, 1, 0}), Error);
    CHECK_THROWS_AS(frequencies(std::vector<int>{1000000}, 3), Error);
    CHECK_THROWS_AS(frequencies(std::vector<int>{0}, 0), Error);
}

TEST_CASE(
    "any two distributions, some with zeros: the formulas, never below 0, and no distance from "
    "itself",
    "[ex06_2]") {
    Rng rng(620);
    for (int round = 0; round < 2000; ++round) {
        const std::size_t V = 1 + rng.below(8);
        const std::uint64_t zeros = round % 4 ? 1 : 0;
        const Distribution q = random_distribution(rng, V, 3 * zeros),
                           p = random_distribution(rng, V, 6 * zeros);
        double h = 0, d = 0;
        for (std::size_t i = 0; i < V; ++i) {
            if (q[i] == 0) continue;
            h -= q[i] * std::log(q[i]);
            d += p[i] > 0 ? q[i] * std::log(q[i] / p[i]) : HUGE_VAL;
        }
        INPUT(q, p);
        THINK("the formulas, term by term; q = 0 adds nothing");
        CHECK_NEAR(entropy(q), h, 1e-12);
        CHECK_NEAR(kl(q, p), d, 1e-12);
        CHECK(entropy(q) <= std::log(static_cast<double>(V)) + 1e-12);
        THINK(
            "rounding may take Σ q ln(q/p) of nearly equal distributions below 0, where no "
            "distance is");
        CHECK(entropy(q) >= 0);
        CHECK(kl(q, p) >= 0);
        CHECK(kl(q, q) == 0);
    }
}
