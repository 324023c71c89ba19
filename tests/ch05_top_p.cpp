#include "tests/catch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "chapters/03_temperature/temperature.hpp"
#include "chapters/05_top_p/relatives.hpp"
#include "chapters/05_top_p/top_p.hpp"
#include "lib/kernels/rng.hpp"

using namespace tbt;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();

template <class Cut>
std::vector<int> kept(const std::vector<float>& s, Cut&& cut, double T = 1) {
    Candidates c(s);
    apply_temperature(c, T);
    cut(c);
    std::vector<int> ids;
    for (std::size_t i = 0; i < c.size(); ++i) ids.push_back(c.id(i));
    return ids;
}
std::vector<int> nucleus(const std::vector<float>& s, double p, double T = 1) {
    return kept(
        s, [p](Candidates& c) { keep_top_p(c, p); }, T);
}

std::vector<float> logs(const std::vector<double>& p) {
    std::vector<float> s;
    for (const double x : p) s.push_back(static_cast<float>(std::log(x)));
    return s;
}
std::vector<float> zipf(int n) {
    std::vector<float> s;
    for (int i = 1; i <= n; ++i) s.push_back(static_cast<float>(-std::log(static_cast<double>(i))));
    return s;
}
std::vector<float> normal(std::size_t n, double sigma, std::uint64_t seed) {
    Rng rng(seed);
    std::vector<float> s(n);
    for (float& x : s) x = static_cast<float>(sigma * rng.normal());
    return s;
}

const std::vector<float> eight{5, 3, 2, 1, 0.5f, -1, -2, -5};

}  // namespace

TEST_CASE("the nucleus is the smallest prefix that reaches p", "[ch05]") {
    REQUIRE(nucleus(eight, .5).size() == 1);
    REQUIRE(nucleus(eight, .9).size() == 2);
    REQUIRE(nucleus(eight, .95).size() == 3);
    REQUIRE(nucleus(eight, .99).size() == 5);
    REQUIRE(nucleus({5, 3, 2, 1, .5f}, .9).size() == 2);  // the tutorial prints .58 .79 .87 .90
    // 15, 12, 10, … 6 % cannot reach 91 % with eight words; these do.
    const std::vector<float> eight_words = logs({.16, .14, .13, .12, .11, .10, .09, .06, .05, .04});
    REQUIRE(nucleus(eight_words, .9).size() == 8);
    Candidates c(eight);
    keep_top_p(c, .9);
    REQUIRE(std::abs(c.probability(0) - .880797) <= 5.1e-7);
}

TEST_CASE("the token that reaches p exactly is the last one kept", "[ch05]") {
    // Equal logits: every probability is exactly 1/n of the whole.
    REQUIRE(nucleus(std::vector<float>(4, 1), .5) == std::vector<int>{0, 1});
    REQUIRE(nucleus(std::vector<float>(4, 1), .75) == std::vector<int>{0, 1, 2});
    REQUIRE(nucleus(std::vector<float>(10, -3), .9).size() ==
            9);  // nine tenths, although .1 has no exact double
    REQUIRE(nucleus(std::vector<float>(10, -3), .9 + 1e-12).size() == 10);
    REQUIRE(nucleus(std::vector<float>(10, -3), .1).size() == 1);
    // e^ln2 is 2 within a quantum: 2/4, 1/4, 1/4.
    REQUIRE(nucleus({1, 0, 0}, 0.576116884765829).size() == 1);  // e/(e + 2) = .57611688476582910…
    REQUIRE(nucleus({1, 0, 0}, 0.576116884766).size() == 2);
}

TEST_CASE("p = .9 of .4 .3 .2 .1 keeps three in whole quanta, where doubles fall short", "[ch05]") {
    REQUIRE(.4 + .3 + .2 < .9);  // .8999999999999999: the order of summation decides
    REQUIRE(.2 + .3 + .4 >= .9);
    const std::uint64_t unit = weight_of_largest / 4;
    const std::vector<float> keys{4, 3, 2, 1};
    const std::vector<std::uint64_t> w{4 * unit, 3 * unit, 2 * unit, unit};
    const auto target =
        static_cast<std::uint64_t>(std::nearbyint(.9 * static_cast<double>(10 * unit)));
    REQUIRE(smallest_prefix(keys, w, 10 * unit, target).threshold == 2);
}

TEST_CASE("p = 0 keeps one token, p = 1 keeps all", "[ch05]") {
    REQUIRE(nucleus(eight, 0) == std::vector<int>{0});
    REQUIRE(nucleus({1, 7, 7}, 0) == std::vector<int>{1});
    REQUIRE(nucleus(eight, 1).size() == 8);
    REQUIRE(nucleus({0, -100}, 1).size() == 2);
    REQUIRE(nucleus(eight, 1e-300).size() == 1);
}

TEST_CASE("of equal probabilities at the border the lower ids stay", "[ch05]") {
    REQUIRE(nucleus({0, 2, 0, 0}, .8) == std::vector<int>{0, 1});
    REQUIRE(nucleus({0, 0, 2, 0}, .9) == std::vector<int>{0, 1, 2});
}

TEST_CASE("a Zipf law over 1000 tokens has the nuclei of the tables", "[ch05]") {
    REQUIRE(nucleus(zipf(1000), .9).size() == 473);
    REQUIRE(nucleus(zipf(1000), .5).size() == 24);
    REQUIRE(nucleus(zipf(1000), .95).size() == 688);
    REQUIRE(nucleus(zipf(1000), .9, .7).size() == 60);
    REQUIRE(nucleus(zipf(1000), .9, 1.5).size() == 749);
}

TEST_CASE("the nucleus without sorting is the sorted one, token for token", "[ch05]") {
    for (const double sigma : {.01, 1.0, 4.0, 12.0}) {
        for (const std::size_t n : {1u, 97u, 1000u, 20000u}) {
            const std::vector<float> s = normal(n, sigma, n);
            for (const double p : {0.1, 0.5, 0.9, 0.999}) {
                Candidates plain(s);
                plain.keep(smallest_prefix_by_sorting(s, plain.weights(), quanta(plain, p)));
                Candidates quick(s);
                keep_top_p(quick, p);
                REQUIRE(quick.size() == plain.size());
                for (std::size_t i = 0; i < quick.size(); ++i) REQUIRE(quick.id(i) == plain.id(i));
            }
        }
    }
}

TEST_CASE("masked tokens are no part of a nucleus", "[ch05]") {
    REQUIRE(nucleus({-inf, 1, -inf, 1}, .99) == std::vector<int>{1, 3});
}

TEST_CASE("a p outside [0, 1] is refused, and percent are recognised", "[ch05]") {
    Candidates c(eight);
    REQUIRE_THROWS_WITH(keep_top_p(c, -0.1), Catch::Contains("expected a probability from 0 to 1"));
    REQUIRE_THROWS_WITH(keep_top_p(c, 90), Catch::Contains("percent"));
    REQUIRE_THROWS_AS(keep_top_p(c, std::nan("")), UsageError);
}

TEST_CASE("min-p keeps what has at least the fraction m of the largest probability", "[ch05]") {
    const auto min_p = [](const std::vector<float>& s, double m, double T = 1) {
        return kept(
            s, [m](Candidates& c) { keep_min_p(c, m); }, T);
    };
    REQUIRE(min_p(eight, 0).size() == 8);
    REQUIRE(min_p(eight, .05) == std::vector<int>{0, 1});  // e^-3 = .0498
    REQUIRE(min_p(eight, .049) == std::vector<int>{0, 1, 2});
    REQUIRE(min_p({3, 3, 2}, 1) ==
            std::vector<int>{0, 1});  // all that are as probable as the first
    REQUIRE(min_p(eight, .1, 2) == std::vector<int>{0, 1, 2, 3, 4});  // e^(-4.5/2) = .1054
    REQUIRE(min_p(eight, 1e-300).size() == 8);
    Candidates c(eight);
    REQUIRE_THROWS_AS(keep_min_p(c, 1.01), UsageError);
    REQUIRE_THROWS_AS(keep_min_p(c, -0.01), UsageError);
}

TEST_CASE("typical sampling keeps the tokens nearest to the entropy and may drop the first",
          "[ch05]") {
    // p = .5 and 50 tokens of .01: H = .5 ln 2 + .5 ln 100 = 2.649; surprises .693 (far:
    // 1.956) and 4.605 (far: 1.956).
    std::vector<double> p(51, .01);
    p[0] = .45;
    for (std::size_t i = 1; i < 51; ++i) p[i] = .55 / 50;
    const auto typical = [](const std::vector<float>& s, double m) {
        return kept(s, [m](Candidates& c) { keep_typical(c, m); });
    };
    // H = .45·.799 + .55·4.510 = 2.840: |4.510 − H| = 1.670 is nearer than |.799 − H| = 2.041.
    const std::vector<int> few = typical(logs(p), .3);
    REQUIRE(few.size() == 28);  // 28 · .011 = .308
    REQUIRE(few.front() == 1);
    const std::vector<int> most = typical(logs(p), .56);
    REQUIRE(most.size() == 51);  // the fifty have .55 together, so the first is needed too
    REQUIRE(typical(eight, 1).size() == 8);
    Candidates c(eight);
    REQUIRE_THROWS_AS(keep_typical(c, 0), UsageError);
    REQUIRE_THROWS_AS(keep_typical(c, 1.5), UsageError);
}

TEST_CASE("typical sampling without sorting keeps what sorting by distance keeps", "[ch05]") {
    for (const double sigma : {1.0, 4.0}) {
        const std::vector<float> s = normal(5000, sigma, 8);
        for (const double m : {.2, .9}) {
            const std::vector<int> quick = kept(s, [m](Candidates& c) { keep_typical(c, m); });
            Candidates c(s);
            const double H = c.entropy();
            std::vector<std::pair<double, std::size_t>> order;
            for (std::size_t i = 0; i < s.size(); ++i)
                order.emplace_back(std::abs(-c.log_probability(i) - H), i);
            std::sort(order.begin(), order.end());
            std::uint64_t sum = 0;
            std::vector<int> expected;
            for (std::size_t i = 0; sum < quanta(c, m); ++i)
                sum += c.weights()[order[i].second],
                    expected.push_back(static_cast<int>(order[i].second));
            std::sort(expected.begin(), expected.end());
            REQUIRE(quick == expected);
        }
    }
}

TEST_CASE("after a cut that removed the most probable token, the rest is a distribution again",
          "[ch05]") {
    std::vector<double> p(51, .55 / 50);
    p[0] = .45;
    const std::vector<float> s = logs(p);
    Candidates c(s);
    keep_typical(c, .3);
    REQUIRE(c.weights()[0] == weight_of_largest);
    REQUIRE(c.total_weight() == c.size() * weight_of_largest);
}

TEST_CASE(
    "epsilon drops what is below it and keeps what is exactly at it; the largest always stays",
    "[ch05]") {
    const auto epsilon = [](const std::vector<float>& s, double e) {
        return kept(s, [e](Candidates& c) { cut_epsilon(c, e); });
    };
    REQUIRE(epsilon(eight, 0).size() == 8);
    REQUIRE(epsilon(eight, .01) == std::vector<int>{0, 1, 2, 3});
    REQUIRE(epsilon(std::vector<float>(4, 1), .25).size() == 4);
    REQUIRE(epsilon(std::vector<float>(3, 1), 1.0 / 3).size() == 3);
    REQUIRE(epsilon({1, 2, 2, 1}, .9) == std::vector<int>{1, 2});
    Candidates c(eight);
    REQUIRE_THROWS_AS(cut_epsilon(c, 1), UsageError);
    REQUIRE_THROWS_AS(cut_epsilon(c, -.1), UsageError);
}

TEST_CASE("eta's threshold is the smaller of epsilon and its entropy rule", "[ch05]") {
    const auto eta = [](const std::vector<float>& s, double e) {
        return kept(s, [e](Candidates& c) { cut_eta(c, e); });
    };
    // H = .661073: √.01·e^−H = .0516 > .01, so epsilon decides.
    REQUIRE(eta(eight, .01) == std::vector<int>{0, 1, 2, 3});
    // Zipf over 1000: H = 5.191, √.01·e^−H = .000556 < .01; p_i = .1336/i >= .000556 up to i = 239.
    const double H = 5.191011, threshold = std::sqrt(.01) * std::exp(-H);
    const std::size_t expected = static_cast<std::size_t>(.133592 / threshold);
    REQUIRE(eta(zipf(1000), .01).size() == expected);
    REQUIRE(expected == 239);
}
