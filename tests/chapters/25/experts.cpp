// The plain mixture of experts: numbers by hand, and the library's router.
#include "tests/catch.hpp"

#include "chapters/25_todays_models/plain_experts.hpp"
#include "lib/core/rng.hpp"
#include "lib/model/experts.hpp"

using namespace tbt;

TEST_CASE("two of four experts answer, and their weights are a distribution") {
    // The softmax of these scores is .1, .4, .2, .3; expert e multiplies by e.
    const Row scores = {0.0f, std::log(4.0f), std::log(2.0f), std::log(3.0f)};
    std::vector<PlainExpert> experts;
    for (int e = 0; e < 4; ++e)
        experts.push_back([e](const Row& x) {
            Row y = x;
            for (float& v : y) v *= static_cast<float>(e);
            return y;
        });
    const Row y = plain_mixture({1, 2}, scores, experts, 2, true);
    CHECK(std::abs(y[0] - 13.0f / 7) <= 1e-6f);  // 4/7 · 1 + 3/7 · 3
    CHECK(std::abs(y[1] - 26.0f / 7) <= 1e-6f);
    CHECK(std::abs(plain_mixture({1, 2}, scores, experts, 2, false)[0] - 1.3f) <= 1e-6f);
}

TEST_CASE("the library's router chooses as the plain one") {
    Rng rng(1);
    for (int round = 0; round < 200; ++round) {
        Row scores(1 + rng.below(40));
        for (float& s : scores)  // some are equal
            s = rng.below(3) == 0 ? 1.0f : static_cast<float>(rng.normal());
        const std::size_t k = 1 + rng.below(scores.size());
        const bool sum = rng.below(2) == 0;
        std::vector<ChosenExpert> chosen(k);
        choose_experts(scores, sum, chosen);
        const std::vector<PlainChoice> plain = plain_choice(scores, k, sum);
        for (std::size_t i = 0; i < k; ++i) {
            CHECK(chosen[i].expert == static_cast<int>(plain[i].expert));
            // The sums may be added in another order: some roundings of numbers up to 1.
            CHECK(std::abs(chosen[i].weight - plain[i].weight) <= 1e-6f);
        }
    }
}
