// Exercise 01_1: perplexity.
#include "01_1_perplexity.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex01_1;

TEST_CASE("a model that finds both next tokens as likely as not has perplexity 2", "[ex01_1]") {
    THINK("each row says .5 and .5: what is −ln .5, and e to that?");
    const std::vector<float> logits{0, 0, 5, 5, 9, 1};  // three rows over two tokens
    const std::vector<int> ids{0, 1, 0};
    INPUT(logits, ids);
    CHECK_NEAR(perplexity(logits, ids), 2, 1e-12);
}

TEST_CASE("a row is about the token after its own, and the last row about none", "[ex01_1]") {
    const float ln3 = static_cast<float>(std::log(3.0));
    const std::vector<float> logits{0,   ln3, ln3, 0,
                                    100, -100};  // .25/.75, .75/.25, and a row that must not count
    INPUT(logits);
    THINK("which row predicts ids[1]?");
    CHECK_NEAR(perplexity(logits, std::vector<int>{0, 1, 0}), 1 / 0.75, 1e-6);
    CHECK_NEAR(perplexity(logits, std::vector<int>{1, 0, 1}), 4, 1e-6);
    CHECK_NEAR(perplexity(logits, std::vector<int>{0, 1, 1}), 1 / std::sqrt(0.75 * 0.25), 1e-6);
}

TEST_CASE("enormous logits are no problem", "[ex01_1]") {
    THINK("e^5000 is more than a double holds; e^(5000 − 5000) is not");
    const std::vector<float> logits{5000, 5000, -5000, -5000};
    INPUT(logits);
    CHECK_NEAR(perplexity(logits, std::vector<int>{0, 1}), 2, 1e-12);
    // Each row is far from the others.
    const std::vector<float> rows{-5000, -5000, 5000, 5000, -9000, -9000, 0, 0};
    INFO("think about: whose maximum is subtracted?");
    CHECK_NEAR(perplexity(rows, std::vector<int>{0, 1, 0, 1}), 2, 1e-12);
    const std::vector<float> sure{-5000, 5000, -5000, 5000, 0, 0};
    CHECK_NEAR(perplexity(sure, std::vector<int>{0, 1, 1}), 1, 1e-12);
    const std::vector<float> middle{7, 7, -8000, -8000, 3, 3};
    CHECK_NEAR(perplexity(middle, std::vector<int>{0, 1, 0}), 2, 1e-12);
}

TEST_CASE("guessing among V tokens has perplexity V", "[ex01_1]") {
    THINK("every probability is 1/V: is the mean over the predictions, not over the tokens?");
    const std::vector<float> logits(7 * 50, 0.25f);
    const std::vector<int> ids{1, 2, 3, 4, 5, 6, 49};
    INPUT(logits, ids);
    CHECK_NEAR(perplexity(logits, ids), 50, 5e-11);
}

TEST_CASE("random rows agree with the definition", "[ex01_1]") {
    THINK("the product of the probabilities of ids[1], ids[2], …, to the power of −1/(n − 1)");
    Rng rng(3);
    const std::vector<float> logits = normal_row<float>(rng, 5 * 11, 3);
    const std::vector<int> ids{10, 0, 7, 7, 3};
    double product = 1;
    for (std::size_t t = 0; t < 4; ++t) {
        double total = 0;
        for (std::size_t v = 0; v < 11; ++v)
            total += std::exp(static_cast<double>(logits[t * 11 + v]));
        product *=
            std::exp(static_cast<double>(logits[t * 11 + static_cast<std::size_t>(ids[t + 1])])) /
            total;
    }
    INPUT(logits, ids);
    CHECK_NEAR(perplexity(logits, ids), std::pow(product, -0.25), 1e-9);
}

TEST_CASE("one token has nothing to predict", "[ex01_1]") {
    THINK("what would the sum be divided by?");
    CHECK_THROWS_AS(perplexity(std::vector<float>{1, 2}, std::vector<int>{0}), Error);
    CHECK_THROWS_AS(perplexity(std::vector<float>{}, std::vector<int>{}), Error);
}

TEST_CASE("a perplexity in doubles, not floats", "[ex01_1]") {
    // p = 1/(1 + e^-1), to sixteen digits, twice
    const std::vector<float> logits{1, 0, 1, 0, 0, 0};
    CHECK_NEAR(perplexity(logits, std::vector<int>{0, 0, 0}), 1.3678794411714423, 1e-13);
    // A thousand of them: sums in float lose digits.
    std::vector<float> many;
    for (int t = 0; t < 1000; ++t) many.push_back(1), many.push_back(0);
    CHECK_NEAR(perplexity(many, std::vector<int>(1000, 0)), 1.3678794411714423, 1e-12);
}

TEST_CASE("a masked token is no obstacle, and a certain one no surprise", "[ex01_1]") {
    const std::vector<float> logits{0, -INFINITY, 0, 3, -INFINITY, -INFINITY, 0, 0, 0};
    CHECK_NEAR(perplexity(logits, std::vector<int>{1, 0, 0}), std::sqrt(2), 1e-12);
}

TEST_CASE("many random texts agree with the definition", "[ex01_1]") {
    Rng rng(4);
    for (int round = 0; round < 1000; ++round) {
        const std::size_t n = 2 + rng.below(6), V = 1 + rng.below(9);
        const std::vector<float> logits = normal_row<float>(rng, n * V, 4);
        const std::vector<int> ids = random_ids(rng, n, V);
        double sum = 0;
        for (std::size_t t = 0; t + 1 < n; ++t) {
            double total = 0;
            for (std::size_t v = 0; v < V; ++v) total += std::exp(double(logits[t * V + v]));
            sum += double(logits[t * V + static_cast<std::size_t>(ids[t + 1])]) - std::log(total);
        }
        INFO("round " << round << ": " << n << " tokens of " << V);
        const double expected = std::exp(-sum / double(n - 1)), got = perplexity(logits, ids);
        CHECK_NEAR(got / expected, 1, 1e-11);
    }
}
