// Scans against their plain definitions.
#include "tests/catch.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "lib/core/rng.hpp"
#include "lib/kernels/bit_mask.hpp"
#include "lib/select/integer_weights.hpp"
#include "lib/select/select.hpp"
#include "tests/support/rows.hpp"

using namespace tbt;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();

}  // namespace

TEST_CASE("the maxima of groups hold the row's maximum, and a NaN or +infinity anywhere is seen",
          "[scan]") {
    std::vector<float> maxima;
    for (const std::vector<float>& row : rows()) {
        for (const std::size_t group : {1u, 3u, 64u}) {
            REQUIRE(group_maxima(row, group, maxima) == largest(row));
            REQUIRE(largest(maxima) == largest(row));
            for (const float bad : {std::nanf(""), inf}) {
                for (const std::size_t at : {std::size_t{0}, row.size() / 2, row.size() - 1}) {
                    std::vector<float> broken = row;
                    broken[at] = bad;
                    REQUIRE(std::isnan(group_maxima(broken, group, maxima)));
                }
            }
        }
    }
}

TEST_CASE("a mask leaves the logits whose bits are set, and takes all others", "[scan]") {
    for (const std::size_t words : {1u, 2u, 5u}) {
        Rng rng(7, words);
        std::vector<std::uint64_t> bits(words);
        std::vector<float> row(64 * words);
        for (int round = 0; round < 20; ++round) {
            for (std::uint64_t& word : bits) word = rng.next() & rng.next();
            for (float& s : row) s = static_cast<float>(rng.uniform());
            const std::vector<float> before = row;
            mask_logits(row, bits);
            for (std::size_t i = 0; i < row.size(); ++i) {
                INFO("logit " << i);
                REQUIRE(row[i] == ((bits[i / 64] >> i % 64 & 1) != 0 ? before[i] : -inf));
            }
        }
    }
}

TEST_CASE("weights are the exponentials, rounded to weight units", "[scan]") {
    for (const std::vector<float>& row : rows()) {
        for (const double T : {0.5, 1.0, 3.0}) {
            std::vector<std::uint64_t> w(row.size());
            const float m = largest(row);
            const std::uint64_t total = integer_exp(row, m, T, w.data());
            std::uint64_t sum = 0;
            for (std::size_t i = 0; i < row.size(); ++i) {
                const long double exact = std::exp((static_cast<long double>(row[i]) - m) / T) *
                                          std::pow(2.0L, weight_bits);
                // Half a unit of rounding; two roundings of x = (s − m)·log2(e)/T,
                // which the exponential multiplies by x, and the polynomial:
                // |x|·2^-52 + 2e-15, of at most 2^44 units. x·e^x is under 1/e.
                REQUIRE(std::abs(static_cast<long double>(w[i]) - exact) <=
                        0.5L + 2.3e-15L * std::pow(2.0L, weight_bits));
                sum += w[i];
            }
            REQUIRE(sum == total);
            std::vector<std::uint64_t> blocks(row.size() / weight_block + 1), again(row.size());
            REQUIRE(integer_exp(row, m, T, again.data(), blocks.data()) == total);
            REQUIRE(again == w);
            for (std::size_t i = 0; i < row.size(); ++i) blocks[i / weight_block] -= w[i];
            REQUIRE(std::all_of(blocks.begin(), blocks.end(),
                                [](std::uint64_t left) { return left == 0; }));
        }
    }
}

TEST_CASE("one weight alone is the weight that the row gives, to the unit", "[scan]") {
    Rng rng(17);
    std::vector<float> row(4001);
    for (float& x : row) x = static_cast<float>(20 * rng.normal());
    row[7] = -inf, row[8] = largest(row);
    std::vector<std::uint64_t> w(row.size());
    const float m = largest(row);
    for (const double T : {1e-300, 1e-3, 0.3, 0.7, 1.0, 1.3, 4.0, 1e3, 1e300}) {
        integer_exp(row, m, T, w.data());
        for (std::size_t i = 0; i < row.size(); ++i) {
            INFO("T = " << T << ", gap " << row[i] - m);
            REQUIRE(integer_exp(static_cast<double>(row[i]) - static_cast<double>(m), T) == w[i]);
        }
    }
    REQUIRE(integer_exp(0, 1) == weight_of_largest);
}

TEST_CASE("the largest element weighs exactly 2^44, a masked one nothing, at every temperature",
          "[scan]") {
    std::vector<std::uint64_t> w(3);
    for (const double T : {1e-310, 1e-300, 1e-5, 1.0, 1e5, 1e300}) {
        integer_exp(std::vector<float>{2.0f, -inf, 1.0f}, 2.0f, T, w.data());
        REQUIRE(w[0] == weight_of_largest);
        REQUIRE(w[1] == 0);
        if (T < 1e-4) REQUIRE(w[2] == 0);
        if (T > 1e20) REQUIRE(w[2] == weight_of_largest);
    }
}

TEST_CASE("the weighted sum of gaps is Σ w·(m − s)/T, masked elements included", "[scan]") {
    for (const std::vector<float>& row : rows()) {
        std::vector<std::uint64_t> w(row.size());
        const float m = largest(row);
        integer_exp(row, m, 2.0, w.data());
        long double expected = 0;
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (w[i] > 0)
                expected +=
                    static_cast<long double>(w[i]) * (static_cast<long double>(m) - row[i]) / 2;
        }
        // A relative 2^-53 for each of up to 5,000/16 + 16 additions.
        REQUIRE(std::abs(static_cast<long double>(weighted_sum_of_gaps(row, w, m, 2.0)) -
                         expected) <= 1e-13L * expected + 1e-3L);
    }
}

TEST_CASE("negative distances are the doubles' rounded to float", "[scan]") {
    for (const std::vector<float>& row : rows()) {
        std::vector<float> keys(row.size());
        for (const double centre : {0.0, 0.1234567890123, -3e5}) {
            negative_distances(row, centre, keys);
            for (std::size_t i = 0; i < row.size(); ++i)
                REQUIRE(keys[i] ==
                        static_cast<float>(-std::abs(static_cast<double>(row[i]) - centre)));
        }
    }
}

TEST_CASE("keep takes what is above the threshold and the first ties at it, ids and values alike",
          "[scan]") {
    for (const std::vector<float>& row : rows()) {
        std::vector<int> ids(row.size());
        for (std::size_t i = 0; i < row.size(); ++i) ids[i] = static_cast<int>(3 * i + 1);
        for (const float threshold : {largest(row), row[row.size() / 3], 0.0f, -inf}) {
            for (const std::size_t ties :
                 {std::size_t{0}, std::size_t{1}, std::size_t{5}, ~std::size_t{0}}) {
                std::vector<int> expected;
                std::size_t left = ties;
                for (std::size_t i = 0; i < row.size(); ++i) {
                    if (row[i] > threshold) expected.push_back(static_cast<int>(i));
                    if (row[i] == threshold && left > 0)
                        expected.push_back(static_cast<int>(i)), --left;
                }
                std::vector<int> to_ids(row.size() + slack);
                std::vector<float> to_values(row.size() + slack);
                std::size_t n = keep(row, {threshold, ties}, {nullptr, row.data()},
                                     {to_ids.data(), to_values.data()});
                REQUIRE(n == expected.size());
                REQUIRE(std::equal(expected.begin(), expected.end(), to_ids.begin()));
                // In place, with ids of their own.
                std::copy(row.begin(), row.end(), to_values.begin());
                std::copy(ids.begin(), ids.end(), to_ids.begin());
                n = keep(std::span<const float>(to_values.data(), row.size()), {threshold, ties},
                         {to_ids.data(), to_values.data()}, {to_ids.data(), to_values.data()});
                REQUIRE(n == expected.size());
                for (std::size_t k = 0; k < n; ++k) {
                    const auto i = static_cast<std::size_t>(expected[k]);
                    REQUIRE((to_ids[k] == ids[i] && to_values[k] == row[i]));
                }
            }
        }
    }
}

TEST_CASE("split sums what is above the higher pivot and keeps what is between them, in order",
          "[scan]") {
    Between between;
    for (const std::vector<float>& row : rows()) {
        std::vector<std::uint64_t> weights(row.size());
        for (std::size_t i = 0; i < row.size(); ++i) weights[i] = (i * i + 7) << 20;
        const float m = largest(row);
        for (const auto& [low, high] : std::vector<std::pair<float, float>>{
                 {-1, 1}, {0.5f, 0.5f}, {m, inf}, {-inf, 0}, {-inf, inf}, {m, m}, {m + 1, inf}}) {
            std::vector<float> keys;
            std::vector<std::uint64_t> kept;
            std::uint64_t above = 0;
            for (std::size_t i = 0; i < row.size(); ++i) {
                if (row[i] > high) above += weights[i];
                else if (row[i] >= low) keys.push_back(row[i]), kept.push_back(weights[i]);
            }
            split(row, weights, low, high, between);
            REQUIRE(between.weight_above == above);
            REQUIRE(between.count == keys.size());
            REQUIRE(std::equal(keys.begin(), keys.end(), between.keys.begin()));
            REQUIRE(std::equal(kept.begin(), kept.end(), between.weights.begin()));
        }
    }
}
