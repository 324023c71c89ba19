// Exercise 04_1: top-nσ.
#include "04_1_top_n_sigma.hpp"
#include "chapters/03_temperature/plain_temperature.hpp"
#include "tests/exercises/rows.hpp"

using namespace tbt;
using namespace tbt::ex04_1;

namespace {

using Row = std::vector<float>;

// The tokens that are left.
std::vector<int> kept(const Row& s, double N) {
    INPUT(s, N);
    const Row cut = top_n_sigma(s, N);
    REQUIRE(cut.size() == s.size());
    std::vector<int> ids;
    for (std::size_t i = 0; i < s.size(); ++i) {
        if (cut[i] == gone) continue;
        INFO("token " << i << " stays, so its logit must not change");
        CHECK(cut[i] == s[i]);
        ids.push_back(static_cast<int>(i));
    }
    return ids;
}

void check_distribution(const Row& logits, double N, const std::vector<double>& expected) {
    INPUT(logits, N);
    const std::vector<double> distribution = softmax_at(top_n_sigma(logits, N), 1);
    CHECK_NEAR(distribution, expected, 1e-6);  // six places are printed
}

// By the definition: what is at or above the border, of those that are not −∞. None where some
// logit is so near it that rounding decides.
std::optional<std::vector<int>> by_definition(const Row& s, double N) {
    double mean = 0, squares = 0, n = 0;
    for (const float x : s)
        if (x != gone) mean += static_cast<double>(x), ++n;
    mean /= n;
    for (const float x : s)
        if (x != gone) squares += std::pow(static_cast<double>(x) - mean, 2);
    const double most = static_cast<double>(*std::max_element(s.begin(), s.end()));
    const double border = most - N * std::sqrt(squares / n);
    std::vector<int> ids;
    for (std::size_t i = 0; i < s.size(); ++i) {
        const double x = static_cast<double>(s[i]);
        if (std::abs(x - border) < 1e-9 && x != most) return std::nullopt;
        if (x >= border || x == most) ids.push_back(static_cast<int>(i));
    }
    return ids;
}

}  // namespace

TEST_CASE("0 0 0 4: mean 1, width √3, so the border is 4 − N·1.73", "[ex04_1]") {
    THINK("the greatest, minus N times the width: who is at or above it?");
    CHECK(kept({0, 0, 0, 4}, 1) == std::vector<int>{3});
    CHECK(kept({0, 0, 0, 4}, 2.3) == std::vector<int>{3});
    CHECK(kept({0, 0, 0, 4}, 2.4) == std::vector<int>{0, 1, 2, 3});
}

TEST_CASE("the published cases of llama.cpp's test-sampling (top-nσ)", "[ex04_1]") {
    THINK("the width is that of the logits, not of the probabilities");
    Row s;
    for (const double p : {.1, .2, .3, .4}) s.push_back(static_cast<float>(std::log(p)));
    check_distribution(s, 1, {0, 0, .428571, .571429});
    check_distribution(s, 0, {.1, .2, .3, .4});
    check_distribution(s, 3, {.1, .2, .3, .4});
}

TEST_CASE("the width divides by n, not by n − 1", "[ex04_1]") {
    INFO("think about: of 0 and 2 the mean is 1 and the width 1; with n − 1 it would be 1.41");
    CHECK(kept({0, 2}, 1.9) == std::vector<int>{1});
    CHECK(kept({0, 2}, 2.1) == std::vector<int>{0, 1});
}

TEST_CASE("a logit on the border stays", "[ex04_1]") {
    INFO("think about: of 0 and 2 the border at N = 2 is exactly 0");
    CHECK(kept({0, 2}, 2) == std::vector<int>{0, 1});
    CHECK(kept({-1, 1, -1, 1}, 1) == std::vector<int>{1, 3});
}

TEST_CASE("a banned token neither comes back nor counts", "[ex04_1]") {
    INFO("think about: −∞ in a sum is −∞, and −∞ minus −∞ is not a number");
    CHECK(kept({0, gone, 2, gone}, 2) == std::vector<int>{0, 2});
    CHECK(kept({0, gone, 2, gone}, 1.9) == std::vector<int>{2});
    CHECK(kept({gone, 3}, 1) == std::vector<int>{1});
    CHECK(kept({gone, 3, 0}, 0) == std::vector<int>{1, 2});
}

TEST_CASE("where all are equal, all stay", "[ex04_1]") {
    THINK("a width of 0 puts the border at the greatest logit itself");
    CHECK(kept({5, 5, 5}, 1) == std::vector<int>{0, 1, 2});
    CHECK(kept({-2.5f}, .5) == std::vector<int>{0});
    CHECK(kept({-3, -3, -3}, 1e-9) == std::vector<int>{0, 1, 2});
}

TEST_CASE("large logits: the differences count, not the size", "[ex04_1]") {
    INFO("think about: in float, 4194304 squared leaves nothing of the differences");
    CHECK(kept({4194304, 4194304 + 2}, 1.9) == std::vector<int>{1});
    CHECK(kept({4194304, 4194304 + 2}, 2) == std::vector<int>{0, 1});
}

TEST_CASE("a number of widths below 0, or none at all, is refused", "[ex04_1]") {
    THINK("NaN < 0 is false, and NaN must be refused too");
    CHECK_THROWS_AS(top_n_sigma({1, 2}, -.1), UsageError);
    CHECK_THROWS_AS(top_n_sigma({1, 2}, std::nan("")), UsageError);
}

TEST_CASE("any row: the definition, at any temperature, and the largest always stays", "[ex04_1]") {
    Rng rng(41);
    for (int round = 0; round < 200; ++round) {
        Row s(1 + static_cast<std::size_t>(round) / 10);
        for (float& x : s) x = static_cast<float>(rng.below(64)) / 8;  // exact, also divided by 4
        const double N = .25 + 2 * rng.uniform();
        const auto expected = by_definition(s, N);
        if (!expected) continue;
        INPUT(s, N);
        REQUIRE(kept(s, N) == *expected);
        Row hot = s, cold = s;
        for (float& x : hot) x /= 4;
        for (float& x : cold) x *= 4;
        INFO("think about: dividing all logits by a temperature divides the width, too");
        REQUIRE(kept(hot, N) == *expected);
        REQUIRE(kept(cold, N) == *expected);
    }
}

TEST_CASE("double precision decides what stays near the border", "[ex04_1]") {
    INFO("think about: of 0, 1 and 3 the width is √(14/9); floats know seven digits of it");
    const double width = std::sqrt(14.0) / 3;
    CHECK(kept({0, 1, 3}, (2 - 1e-10) / width) == std::vector<int>{2});
    CHECK(kept({0, 1, 3}, (2 + 1e-10) / width) == std::vector<int>{1, 2});
    // The same far from 0, where the mean of floats is a float.
    CHECK(kept({8388608, 8388609, 8388611}, (2 - 1e-7) / width) == std::vector<int>{2});
    CHECK(kept({8388608, 8388609, 8388611}, (2 + 1e-7) / width) == std::vector<int>{1, 2});
}

TEST_CASE("many logits, some banned: the definition", "[ex04_1]") {
    Rng rng(410);
    for (int round = 0; round < 1000; ++round) {
        const Row s = some_row(rng, round);
        const double N = .1 + 3 * rng.uniform();
        const auto expected = by_definition(s, N);
        if (!expected) continue;
        same(kept(s, N), *expected, "logits " + in_words(s) + ", N = " + in_words(N),
             "mean and width of those that are not −∞");
    }
}
