// Exercise 20_2: unsigned times signed.
#include "20_2_unsigned.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex20_2;

namespace {

using Bytes = std::vector<std::int8_t>;

Bytes random_bytes(std::size_t n, std::uint64_t seed) {
    Rng rng(seed);
    Bytes x;
    for (std::size_t k = 0; k < n; ++k)
        x.push_back(static_cast<std::int8_t>(static_cast<int>(rng.below(255)) - 127));
    return x;
}

}  // namespace

TEST_CASE("128 is added to every number", "[ex20_2]") {
    const std::vector<std::uint8_t> u = shifted({-127, -1, 0, 1, 127});
    const std::vector<int> expected = {1, 127, 128, 129, 255};
    INFO("think about: 127 + 128 is 255, which an unsigned byte holds");
    INFO("shifted({-127, -1, 0, 1, 127})");
    CHECK(std::vector<int>(u.begin(), u.end()) == expected);
}

TEST_CASE("the sum of a column has 32 bits", "[ex20_2]") {
    THINK("a sum of bytes must not be kept in a byte");
    const std::int32_t got = column_sum(Bytes(1000, 127));
    INFO("1000 times 127");
    REQUIRE(got == 127000);
    REQUIRE(column_sum({5, -7, 1}) == -1);
    REQUIRE(column_sum({}) == 0);
}

TEST_CASE("by hand: (2, -3) and (10, 4), scales 0.5 and 0.25", "[ex20_2]") {
    // 20 - 12 = 8; 130 · 10 + 125 · 4 = 1800 = 8 + 128 · 14.
    INFO("product({130, 125}, {10, 4}, 14, 0.5, 0.25); think about: how much did the 128s add?");
    const float got = product({130, 125}, {10, 4}, 14, 0.5f, 0.25f);
    REQUIRE(got == 1.0f);
}

TEST_CASE("the same as x · w, exactly, on random rows of any length", "[ex20_2]") {
    for (std::size_t n : {0u, 1u, 3u, 64u, 1000u, 20000u}) {
        const Bytes x = random_bytes(n, 1 + n), w = random_bytes(n, 2 + n);
        std::int64_t exact = 0;
        for (std::size_t k = 0; k < n; ++k) exact += x[k] * w[k];
        const float expected = static_cast<float>(exact) * (0.013f * 0.7f);
        const float got = product(shifted(x), w, column_sum(w), 0.013f, 0.7f);
        INFO(n << " numbers; think about: a float holds whole numbers exactly up to 2^24 only, so "
                  "subtract "
                  "before");
        REQUIRE(got == expected);
    }
}

TEST_CASE("the largest sums fit, although u · w alone is twice as large", "[ex20_2]") {
    THINK("u · w is at most 255 · 127 · 60,000, which is below 2^31");
    const std::size_t n = 60000;
    const Bytes x(n, 127), w(n, 127);
    INFO("60,000 numbers, all 127");
    const float got = product(shifted(x), w, column_sum(w), 1, 1);
    REQUIRE(got == static_cast<float>(127ll * 127 * 60000));
}

TEST_CASE("rows of different lengths are refused", "[ex20_2]") {
    THINK("check before the first product");
    CHECK_THROWS_AS(product({128, 128}, {1}, 1, 1, 1), Error);
    CHECK_THROWS_AS(product({128}, {1, 2}, 3, 1, 1), Error);
}

TEST_CASE("a small product of large sums is exact", "[ex20_2]") {
    Bytes x(2001, 0);
    const Bytes w(2001, 127);
    x[7] = 1;
    const float got = product(shifted(x), w, column_sum(w), 1, 1);
    INFO(
        "2,001 numbers: x is 1 once, else 0, all w are 127; think about: 32,528,383 is no float, "
        "so subtract before");
    REQUIRE(got == 127.0f);
}
