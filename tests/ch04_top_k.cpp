#include "tests/catch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "chapters/03_temperature/sample.hpp"
#include "chapters/04_top_k/top_k.hpp"
#include "lib/kernels/rng.hpp"

using namespace tbt;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();

std::vector<int> kept(const std::vector<float>& s, int k, Ties ties = Ties::exact) {
    Candidates c(s);
    keep_top_k(c, k, ties);
    std::vector<int> ids;
    for (std::size_t i = 0; i < c.size(); ++i) ids.push_back(c.id(i));
    return ids;
}

std::vector<double> law(const std::vector<float>& s, int k) {
    Candidates c(s);
    keep_top_k(c, k);
    return c.probabilities();
}

// What the total order says, by sorting everything.
std::vector<int> by_sorting(const std::vector<float>& s, int k) {
    std::vector<int> ids(s.size());
    std::iota(ids.begin(), ids.end(), 0);
    std::stable_sort(ids.begin(), ids.end(), [&](int a, int b) {
        return s[static_cast<std::size_t>(a)] > s[static_cast<std::size_t>(b)];
    });
    ids.resize(std::min(ids.size(), static_cast<std::size_t>(k)));
    std::sort(ids.begin(), ids.end());
    return ids;
}

const std::vector<float> eight{5, 3, 2, 1, 0.5f, -1, -2, -5};

}  // namespace

TEST_CASE("top-k on the tutorial's logits gives the right numbers, not the printed ones",
          "[ch04]") {
    const std::vector<double> three = law(eight, 3);
    const double expected3[] = {.843795, .114195, .042010, 0, 0, 0, 0, 0};
    const std::vector<double> all = law(eight, 8);
    const double expected8[] = {.821030, .111114, .040877, .015038,
                                .009121, .002035, .000749, .000037};
    for (std::size_t i = 0; i < 8; ++i) {
        REQUIRE(std::abs(three[i] - expected3[i]) <= 5.1e-7);
        REQUIRE(std::abs(all[i] - expected8[i]) <= 5.1e-7);
    }
}

TEST_CASE("exactly k stay, and of equal logits the lower ids", "[ch04]") {
    REQUIRE(kept({1, 1, 1, 1}, 2) == std::vector<int>{0, 1});
    REQUIRE(kept({2, 5, 2, 5, 2}, 3) == std::vector<int>{0, 1, 3});
    REQUIRE(kept({2, 5, 2, 5, 2}, 1) == std::vector<int>{1});
    REQUIRE(kept(std::vector<float>(5000, 0.5f), 7) == std::vector<int>{0, 1, 2, 3, 4, 5, 6});
}

TEST_CASE("with ties kept, all that are as good as the k-th stay", "[ch04]") {
    REQUIRE(kept({1, 1, 1, 1}, 2, Ties::kept).size() == 4);
    REQUIRE(kept({2, 5, 2, 5, 2}, 3, Ties::kept).size() == 5);
    REQUIRE(kept({2, 5, 2, 5, 2}, 2, Ties::kept) == std::vector<int>{1, 3});
}

TEST_CASE("k = 0 is off and k beyond the vocabulary keeps all", "[ch04]") {
    REQUIRE(kept(eight, 0).size() == 8);
    REQUIRE(kept(eight, 8).size() == 8);
    REQUIRE(kept(eight, 1000000).size() == 8);
    REQUIRE(kept(eight, 1) == std::vector<int>{0});
}

TEST_CASE("top-k keeps what sorting by the total order keeps, at every size, k and with many ties",
          "[ch04]") {
    Rng rng(4);
    for (const std::size_t n : {1u, 2u, 16u, 17u, 97u, 1000u, 4097u}) {
        for (int kind = 0; kind < 3; ++kind) {
            std::vector<float> s(n);
            for (float& x : s) {
                x = static_cast<float>(rng.normal());
                if (kind == 1) x = std::round(3 * x);
                if (kind == 2 && rng.below(2) == 0) x = -inf;
            }
            s[n / 2] = 0.125f;
            for (const int k : {1, 2, 15, 16, 40, 96, 500, 4000}) {
                if (static_cast<std::size_t>(k) > n) continue;
                REQUIRE(kept(s, k) == by_sorting(s, k));
            }
        }
    }
}

TEST_CASE("temperature does not change the top-k set", "[ch04]") {
    Rng rng(6);
    std::vector<float> s(500);
    for (float& x : s) x = static_cast<float>(rng.normal());
    const std::vector<int> ids = kept(s, 12);
    for (const double T : {0.1, 0.9, 5.0}) {
        Candidates c(s);
        c.multiply_temperature(T);
        keep_top_k(c, 12);
        for (std::size_t i = 0; i < 12; ++i) REQUIRE(c.id(i) == ids[i]);
    }
}

TEST_CASE("a cut after weights were computed leaves the same distribution as one before",
          "[ch04]") {
    Candidates before(eight), after(eight);
    after.total_weight();
    keep_top_k(before, 3);
    keep_top_k(after, 3);
    REQUIRE(before.total_weight() == after.total_weight());
    REQUIRE(before.probabilities() == after.probabilities());
}

TEST_CASE("a negative k is refused, and a broken row too", "[ch04]") {
    Candidates c(eight);
    REQUIRE_THROWS_WITH(keep_top_k(c, -1), Catch::Contains("got -1"));
    const std::vector<float> broken{1, 2, std::nanf(""), 3, 4};
    Candidates b(broken);
    REQUIRE_THROWS_WITH(keep_top_k(b, 2), Catch::Contains("token 2 is NaN"));
}
