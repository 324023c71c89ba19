// Exercise 05_1: top-k, then top-p.
#include "05_1_top_k_top_p.hpp"
#include "tests/exercises/rows.hpp"

using namespace tbt;
using namespace tbt::ex05_1;

namespace {

const std::vector<float> eight = {5, 3, 2, 1, .5f, -1, -2, -5};
constexpr float masked = -INFINITY;

std::vector<int> ids(const std::vector<Share>& shares) {
    std::vector<int> result;
    for (const Share& share : shares) result.push_back(share.id);
    return result;
}

struct Cut {
    int k;
    double p;
    std::size_t kept;
};

}  // namespace

TEST_CASE("top-p .9 of eight logits keeps two words, .880797 and .119203", "[ex05_1]") {
    THINK("exp, divide by the sum, sort, add up until p is reached, divide again");
    INPUT(eight);
    INFO("top_k_top_p(eight, 0, .9)");
    const std::vector<Share> kept = top_k_top_p(eight, 0, .9);
    REQUIRE(ids(kept) == std::vector<int>{0, 1});
    CHECK_NEAR(kept[0].probability, .880797, 1e-6);  // printed with six places
    CHECK_NEAR(kept[1].probability, .119203, 1e-6);
}

TEST_CASE("how many of the eight survive", "[ex05_1]") {
    INPUT(eight);
    INFO("think about: the token that reaches p is the last to stay");
    const Cut cuts[] = {{0, .5, 1},  {0, .9, 2}, {0, .95, 3}, {0, .99, 5}, {3, .9, 2},
                        {5, .95, 3}, {1, 1, 1},  {0, 1, 8},   {3, 1, 3}};
    for (const auto& [k, p, kept] : cuts) {
        INPUT(k, p);
        CHECK(top_k_top_p(eight, k, p).size() == kept);
    }
}

TEST_CASE("how many of a thousand Zipf tokens survive", "[ex05_1]") {
    INFO("think about: the second cut sees probabilities that sum to 1 again");
    const Cut cuts[] = {{50, .9, 32}, {50, .95, 40}, {50, .5, 5},  {20, .9, 14},
                        {10, .9, 8},  {10, .5, 2},   {0, .9, 473}, {0, .95, 688}};
    for (const auto& [k, p, kept] : cuts) {
        INPUT(k, p);
        CHECK(top_k_top_p(zipf_row(1000), k, p).size() == kept);
    }
}

TEST_CASE("of equal logits the lower ids stay, exactly k of them", "[ex05_1]") {
    THINK("the order is: greater logit first, of equal ones the lower id");
    CHECK(ids(top_k_top_p(std::vector<float>{1, 2, 2, 2}, 2, 1)) == std::vector<int>{1, 2});
    CHECK(ids(top_k_top_p(std::vector<float>{0, 0, 0, 0}, 0, .5)) == std::vector<int>{0, 1});
    CHECK(ids(top_k_top_p(std::vector<float>{0, 0, 0, 0}, 0, .75)) == std::vector<int>{0, 1, 2});
}

TEST_CASE("one token is always kept, and no masked one", "[ex05_1]") {
    THINK("p = 0 is reached by the first token; e^−∞ is 0, and what has probability 0 never stays");
    INPUT(eight);
    CHECK(ids(top_k_top_p(eight, 0, 0)) == std::vector<int>{0});
    CHECK(ids(top_k_top_p(std::vector<float>{masked, 7, masked}, 3, 1)) == std::vector<int>{1});
    CHECK(ids(top_k_top_p(std::vector<float>{-3}, 99, .1)) == std::vector<int>{0});
}

TEST_CASE("large logits don't overflow", "[ex05_1]") {
    INFO("think about: e^1000 is more than a double holds, e^(1000 - 1000) is not");
    CHECK(ids(top_k_top_p(std::vector<float>{999, 1000, -1000}, 2, 1)) == std::vector<int>{1, 0});
    CHECK(ids(top_k_top_p(std::vector<float>{-2000, -2001}, 0, .99)) == std::vector<int>{0, 1});
}

TEST_CASE("a k below 0 and a p outside 0 to 1 are refused", "[ex05_1]") {
    THINK("check before you cut; NaN compares as false");
    CHECK_THROWS_AS(top_k_top_p(eight, -1, .9), UsageError);
    for (const double p : {-.1, 1.1, 90.0, std::nan("")}) {
        INPUT(p);
        CHECK_THROWS_AS(top_k_top_p(eight, 3, p), UsageError);
    }
}

TEST_CASE("any row: sums to 1, in order, and no more than either cut keeps alone", "[ex05_1]") {
    THINK("the second cut works on the distribution that the first one leaves");
    Rng rng(51);
    for (int round = 0; round < 300; ++round) {
        std::vector<float> s = normal_row<float>(rng, 1 + rng.below(40));
        for (float& x : s) x = std::round(4 * x) / 4;  // ties
        const int k = 1 + static_cast<int>(rng.below(12));
        const double p = rng.uniform();
        INPUT(s, k, p);
        const auto both = top_k_top_p(s, k, p);
        EXPECT(!both.empty(), "one token at least", ids(both));
        CHECK(both.size() <= std::min(static_cast<std::size_t>(k), top_k_top_p(s, 0, p).size()));
        double sum = 0;
        for (std::size_t i = 0; i < both.size(); ++i) {
            sum += both[i].probability;
            if (i == 0) continue;
            const float before = s[static_cast<std::size_t>(both[i - 1].id)],
                        here = s[static_cast<std::size_t>(both[i].id)];
            EXPECT(before > here || (before == here && both[i - 1].id < both[i].id),
                   "the greater logit first, of equal ones the lower id", ids(both));
        }
        CHECK_NEAR(sum, 1, 1e-12);  // a few roundings of 1e-16
    }
}

TEST_CASE("a thousand normal logits: top-p alone keeps about 612, with k = 50 about 43",
          "[ex05_1]") {
    THINK("p is reached later when the distribution is flat");
    Rng rng(1000);
    double alone = 0, both = 0;
    constexpr int rounds = 50;
    for (int i = 0; i < rounds; ++i) {
        const std::vector<float> s = normal_row<float>(rng, 1000);
        alone += static_cast<double>(top_k_top_p(s, 0, .9).size()) / rounds;
        both += static_cast<double>(top_k_top_p(s, 50, .9).size()) / rounds;
    }
    INFO("of 1000 normal logits, the mean of 50 rows");
    CHECK_NEAR(alone, 611.7, 4 * 9.5 / std::sqrt(rounds));  // four standard errors
    CHECK_NEAR(both, 42.6, 4 * .62 / std::sqrt(rounds));
}
