// Selections against their plain definitions.
#include "tests/catch.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "lib/core/rng.hpp"
#include "lib/select/integer_weights.hpp"
#include "lib/select/select.hpp"
#include "tests/support/rows.hpp"

using namespace tbt;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();

// What "smallest prefix" says, word for word.
Cut prefix_by_sorting(const std::vector<float>& keys, const std::vector<std::uint64_t>& weights,
                      std::uint64_t target) {
    std::vector<std::size_t> order(keys.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return keys[a] > keys[b]; });
    const std::uint64_t all = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
    target = std::clamp<std::uint64_t>(target, 1, std::max<std::uint64_t>(all, 1));
    Cut cut{keys[order[0]], 0};
    std::uint64_t sum = 0;
    for (const std::size_t i : order) {
        if (sum >= target) break;
        cut = {keys[i], keys[i] == cut.threshold ? cut.ties + 1 : 1};
        sum += weights[i];
    }
    return cut;
}

}  // namespace

TEST_CASE("the k-th largest is what sorting finds, and the quick bound is reached by k elements",
          "[select]") {
    for (const std::vector<float>& row : rows()) {
        std::vector<float> sorted = row;
        std::sort(sorted.begin(), sorted.end(), std::greater<>());
        for (const std::size_t k : {std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{40},
                                    row.size() / 2, row.size()}) {
            if (k < 1 || k > row.size()) continue;
            REQUIRE(kth_largest(row, k) == sorted[k - 1]);
            REQUIRE(reached_by_at_least(row, k) <= sorted[k - 1]);
        }
    }
}

TEST_CASE("the smallest prefix found with pivots is the one found by sorting, for every target",
          "[select]") {
    int compared = 0;
    for (const std::vector<float>& row : rows()) {
        std::vector<std::uint64_t> w(row.size());
        const float m = largest(row);
        for (const double T : {0.3, 1.0, 4.0}) {
            const std::uint64_t total = integer_exp(row, m, T, w.data());
            for (const double p : {0.0, 1e-9, 0.1, 0.5, 0.9, 0.99, 0.999999, 1.0}) {
                const auto target = static_cast<std::uint64_t>(p * static_cast<double>(total));
                const Cut plain = prefix_by_sorting(row, w, target);
                const Cut quick = smallest_prefix_reaching(row, w, total, target);
                REQUIRE(quick.threshold == plain.threshold);
                REQUIRE(quick.ties == plain.ties);
                ++compared;
            }
        }
    }
    REQUIRE(compared > 1400);
}

TEST_CASE("the smallest prefix includes the element that reaches the target, and is never empty",
          "[select]") {
    const std::vector<float> keys{1, 5, 3, 5};
    const std::vector<std::uint64_t> w{1, 10, 4, 10};
    const auto cut = [&](std::uint64_t target) {
        return smallest_prefix_reaching(keys, w, 25, target);
    };
    REQUIRE((cut(0).threshold == 5 && cut(0).ties == 1));
    REQUIRE((cut(10).threshold == 5 && cut(10).ties == 1));
    REQUIRE((cut(11).threshold == 5 && cut(11).ties == 2));
    REQUIRE((cut(20).threshold == 5 && cut(20).ties == 2));
    REQUIRE((cut(21).threshold == 3 && cut(21).ties == 1));
    REQUIRE((cut(25).threshold == 1 && cut(25).ties == 1));
    REQUIRE((cut(99).threshold == 1 && cut(99).ties == 1));
    const Cut of_nothing =
        smallest_prefix_reaching(std::vector<float>(300, 2), std::vector<std::uint64_t>(300), 0, 1);
    REQUIRE((of_nothing.threshold == 2 && of_nothing.ties == 1));
}

TEST_CASE("the smallest prefix of rows that mislead a sample is still the sorted one", "[select]") {
    constexpr std::size_t n = 700, stride = n / 128;
    Rng rng(5);
    std::vector<std::vector<float>> misleading(4, std::vector<float>(n));
    for (std::size_t i = 0; i < n; ++i) {
        const float x = static_cast<float>(rng.normal());
        misleading[0][i] = i % stride == 0 ? -9 : x;              // what is sampled weighs nothing
        misleading[1][i] = i % stride == 0 ? 9 + x : x;           // what is sampled weighs all
        misleading[2][i] = rng.below(9) ? 1 : x;                  // most are equal
        misleading[3][i] = rng.below(90) ? -inf : std::round(x);  // nearly all are masked
    }
    for (const std::vector<float>& row : misleading) {
        std::vector<std::uint64_t> w(n);
        const std::uint64_t total = integer_exp(row, largest(row), 1, w.data());
        std::vector<float> sorted = row;
        std::vector<std::uint64_t> targets{0, total};
        std::sort(sorted.begin(), sorted.end(), std::greater<>());
        for (const float x : sorted) {  // every prefix reaches its own sum exactly
            std::uint64_t one = 0;
            integer_exp({&x, 1}, sorted[0], 1, &one);
            targets.push_back(targets.size() == 2 ? one : targets.back() + one);
        }
        for (const std::uint64_t target : targets) {
            const Cut plain = prefix_by_sorting(row, w, target),
                      quick = smallest_prefix_reaching(row, w, total, target);
            REQUIRE((quick.threshold == plain.threshold && quick.ties == plain.ties));
        }
    }
}

TEST_CASE("few more elements than asked for reach the quick bound", "[select]") {
    std::vector<float> row(5000);  // 0 … 4999, shuffled
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = static_cast<float>(i * 1237 % 5000);
    for (const std::size_t k :
         {std::size_t{1}, std::size_t{7}, std::size_t{40}, std::size_t{200}}) {
        const float bound = reached_by_at_least(row, k);
        const auto reached =
            std::count_if(row.begin(), row.end(), [&](float x) { return x >= bound; });
        CAPTURE(k, bound);
        CHECK(reached >= static_cast<std::ptrdiff_t>(k));
        CHECK(reached <= static_cast<std::ptrdiff_t>(k + k / 2));
    }
}

TEST_CASE("weights that sum to less than was said, and ranks that are not there, are refused",
          "[select]") {
    std::vector<float> keys(1000);
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<float>(i % 37);
    for (const std::uint64_t weight : {std::uint64_t{0}, std::uint64_t{1}})
        REQUIRE_THROWS_WITH(smallest_prefix_reaching(keys, std::vector<std::uint64_t>(1000, weight),
                                                     1000000, 500000),
                            "select: the weights sum to less than was given");
    REQUIRE_THROWS_WITH(kth_largest(keys, 1001),
                        "select: the 1001th largest of 1000 values, expected a rank from 1 to the "
                        "number of values");
    REQUIRE(kth_largest(keys, 1000) == 0);
}
