#include "lib/select/integer_weights.hpp"
#include "tests/catch.hpp"

#include "chapters/05_top_p/further/plain_typical.hpp"
#include "chapters/05_top_p/plain_relatives.hpp"
#include "chapters/06_combining/steps.hpp"
#include "lib/core/rng.hpp"
#include "tests/support/logits.hpp"

using namespace tbt;
using namespace tbt::test;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();

std::vector<int> nucleus(const std::vector<float>& s, double p, double T = 1) {
    return ids_of(top_p(s, T, p));
}

}  // namespace

TEST_CASE("the nucleus is the smallest prefix that reaches p") {
    REQUIRE(nucleus(eight, .5).size() == 1);
    REQUIRE(nucleus(eight, .9).size() == 2);
    REQUIRE(nucleus(eight, .95).size() == 3);
    REQUIRE(nucleus(eight, .99).size() == 5);
    REQUIRE(nucleus({5, 3, 2, 1, .5f}, .9).size() == 2);  // the tutorial prints .58 .79 .87 .90
    // 15, 12, 10, … 6 % cannot reach 91 % with eight words; these do.
    const std::vector<float> eight_words = logs({.16, .14, .13, .12, .11, .10, .09, .06, .05, .04});
    REQUIRE(nucleus(eight_words, .9).size() == 8);
    REQUIRE(std::abs(softmax_at(top_p(eight, 1, .9), 1)[0] - .880797) <= 5.1e-7);
}

TEST_CASE("the token that reaches p exactly is the last one kept") {
    // Equal logits: every probability is exactly 1/n of the whole.
    REQUIRE(nucleus(std::vector<float>(4, 1), .5) == std::vector<int>{0, 1});
    REQUIRE(nucleus(std::vector<float>(4, 1), .75) == std::vector<int>{0, 1, 2});
    REQUIRE(nucleus(std::vector<float>(10, -3), .9).size() ==
            9);  // nine tenths, although .1 has no exact double
    REQUIRE(nucleus(std::vector<float>(10, -3), .9 + 1e-12).size() == 10);
    REQUIRE(nucleus(std::vector<float>(10, -3), .1).size() == 1);
    // e^ln2 is 2 within a weight unit: 2/4, 1/4, 1/4.
    REQUIRE(nucleus({1, 0, 0}, 0.576116884765829).size() == 1);  // e/(e + 2) = .57611688476582910…
    REQUIRE(nucleus({1, 0, 0}, 0.576116884766).size() == 2);
}

TEST_CASE("with the logits as keys, the prefix is the nucleus") {
    Rng rng(11);
    for (int i = 0; i < 200; ++i) {
        std::vector<float> s(40);
        for (float& x : s) x = static_cast<float>(rng.below(6));  // with many ties
        const double p = rng.uniform(), T = .2 + rng.uniform();
        REQUIRE(shortest_prefix(s, T, s, p) == top_p(s, T, p));
    }
}

TEST_CASE("a prefix by keys needs a key for each token") {
    REQUIRE_THROWS_WITH(
        shortest_prefix(eight, 1, {eight.data(), 7}, .5),
        Catch::Contains("shortest prefix: keys") && Catch::Contains("7") && Catch::Contains("8"));
}

TEST_CASE("p = .9 of .4 .3 .2 .1 keeps three in integer weights, where doubles fall short") {
    REQUIRE(.4 + .3 + .2 < .9);  // .8999999999999999: the order of summation decides
    REQUIRE(.2 + .3 + .4 >= .9);
    // Ten equal tokens are tenths to the unit; keys put them in groups of 4, 3, 2 and 1.
    const std::vector<float> tenths(10, 0.5f);
    const std::vector<float> keys{4, 4, 4, 4, 3, 3, 3, 2, 2, 1};
    REQUIRE(ids_of(shortest_prefix(tenths, 1, keys, .9)).size() == 9);
    const std::uint64_t W = 10 * weight_of_largest;
    REQUIRE(share_of(W, .9) == 9 * weight_of_largest);
    REQUIRE(share_of(W, 1) == W);
    REQUIRE(share_of(W, 1 + 1e-9) == W);
}

TEST_CASE("p = 0 keeps one token, p = 1 keeps all") {
    REQUIRE(nucleus(eight, 0) == std::vector<int>{0});
    REQUIRE(nucleus({1, 7, 7}, 0) == std::vector<int>{1});
    REQUIRE(nucleus(eight, 1).size() == 8);
    REQUIRE(nucleus({0, -100}, 1).size() == 2);
    REQUIRE(nucleus(eight, 1e-300).size() == 1);
}

TEST_CASE("of equal probabilities at the border the lower ids stay") {
    REQUIRE(nucleus({0, 2, 0, 0}, .8) == std::vector<int>{0, 1});
    REQUIRE(nucleus({0, 0, 2, 0}, .9) == std::vector<int>{0, 1, 2});
}

TEST_CASE("a Zipf law over 1000 tokens has the nuclei of the tables") {
    REQUIRE(nucleus(zipf(1, 1000), .9).size() == 473);
    REQUIRE(nucleus(zipf(1, 1000), .5).size() == 24);
    REQUIRE(nucleus(zipf(1, 1000), .95).size() == 688);
    REQUIRE(nucleus(zipf(1, 1000), .9, .7).size() == 60);
    REQUIRE(nucleus(zipf(1, 1000), .9, 1.5).size() == 749);
}

TEST_CASE("masked tokens are no part of a nucleus") {
    REQUIRE(nucleus({-inf, 1, -inf, 1}, .99) == std::vector<int>{1, 3});
}

TEST_CASE("a p outside [0, 1] is refused, and percent are recognised") {
    REQUIRE_THROWS_WITH(top_p(eight, 1, -0.1),
                        Catch::Contains("expected a probability from 0 to 1"));
    REQUIRE_THROWS_WITH(top_p(eight, 1, 90), Catch::Contains("percent"));
    REQUIRE_THROWS_AS(top_p(eight, 1, std::nan("")), UsageError);
}

TEST_CASE("min-p keeps what has at least the fraction m of the largest probability") {
    const auto ids = [](const std::vector<float>& s, double m, double T = 1) {
        return ids_of(min_p(s, T, m));
    };
    REQUIRE(ids(eight, 0).size() == 8);
    REQUIRE(ids(eight, .05) == std::vector<int>{0, 1});  // e^-3 = .0498
    REQUIRE(ids(eight, .049) == std::vector<int>{0, 1, 2});
    REQUIRE(ids({3, 3, 2}, 1) == std::vector<int>{0, 1});  // all that are as probable as the first
    REQUIRE(ids(eight, .1, 2) == std::vector<int>{0, 1, 2, 3, 4});  // e^(-4.5/2) = .1054
    REQUIRE(ids(eight, 1e-300).size() == 8);
    REQUIRE_THROWS_AS(min_p(eight, 1, 1.01), UsageError);
    REQUIRE_THROWS_AS(min_p(eight, 1, -0.01), UsageError);
}

TEST_CASE("typical sampling keeps the tokens nearest to the entropy and may drop the first") {
    // p = .5 and 50 tokens of .01: H = .5 ln 2 + .5 ln 100 = 2.649; surprises .693 (far:
    // 1.956) and 4.605 (far: 1.956).
    std::vector<double> p(51, .01);
    p[0] = .45;
    for (std::size_t i = 1; i < 51; ++i) p[i] = .55 / 50;
    const auto ids = [](const std::vector<float>& s, double m) { return ids_of(typical(s, 1, m)); };
    // H = .45·.799 + .55·4.510 = 2.840: |4.510 − H| = 1.670 is nearer than |.799 − H| = 2.041.
    const std::vector<int> few = ids(logs(p), .3);
    REQUIRE(few.size() == 28);  // 28 · .011 = .308
    REQUIRE(few.front() == 1);
    const std::vector<int> most = ids(logs(p), .56);
    REQUIRE(most.size() == 51);  // the fifty have .55 together, so the first is needed too
    REQUIRE(ids(eight, 1).size() == 8);
    REQUIRE_THROWS_AS(typical(eight, 1, 0), UsageError);
    REQUIRE_THROWS_AS(typical(eight, 1, 1.5), UsageError);
}

TEST_CASE(
    "epsilon drops what is below it and keeps what is exactly at it; the largest always stays") {
    const auto epsilon = [](const std::vector<float>& s, double e) {
        return ids_of(cut_epsilon(s, 1, e));
    };
    REQUIRE(epsilon(eight, 0).size() == 8);
    REQUIRE(epsilon(eight, .01) == std::vector<int>{0, 1, 2, 3});
    REQUIRE(epsilon(std::vector<float>(4, 1), .25).size() == 4);
    REQUIRE(epsilon(std::vector<float>(3, 1), 1.0 / 3).size() == 3);
    REQUIRE(epsilon({1, 2, 2, 1}, .9) == std::vector<int>{1, 2});
    REQUIRE_THROWS_AS(cut_epsilon(eight, 1, 1), UsageError);
    REQUIRE_THROWS_AS(cut_epsilon(eight, 1, -.1), UsageError);
}

TEST_CASE("eta's threshold is the smaller of epsilon and its entropy rule") {
    const auto eta = [](const std::vector<float>& s, double e) { return ids_of(cut_eta(s, 1, e)); };
    // H = .661073: √.01·e^−H = .0516 > .01, so epsilon decides.
    REQUIRE(eta(eight, .01) == std::vector<int>{0, 1, 2, 3});
    // Zipf over 1000: H = 5.191, √.01·e^−H = .000556 < .01; p_i = .1336/i >= .000556 up to i = 239.
    const double H = 5.191011, threshold = std::sqrt(.01) * std::exp(-H);
    const std::size_t expected = static_cast<std::size_t>(.133592 / threshold);
    REQUIRE(eta(zipf(1, 1000), .01).size() == expected);
    REQUIRE(expected == 239);
}

TEST_CASE("a prefix without a share is one token, the lightest one too") {
    std::vector<float> s{0, 0};
    while (integer_weights(s, 1)[1] > 1) s[1] -= 0.25f;
    REQUIRE(integer_weights(s, 1)[1] == 1);
    const std::vector<float> keys{0, 1};
    CHECK(shortest_prefix(s, 1, keys, 1e-300) == std::vector<float>{masked, s[1]});
}
