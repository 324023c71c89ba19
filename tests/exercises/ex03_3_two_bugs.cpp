// Exercise 03_3: the u that shows a bug.
#include "03_3_two_bugs.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex03_3;

namespace {

using Distribution = std::vector<double>;

void check_is_distribution(const Witness& w) {
    INFO(
        "p has at least one number, none negative, sums to 1 (1e-12); u is at least 0 and below 1");
    INPUT(w.p, w.u);
    EXPECT(!w.p.empty(), "a distribution of at least one token", w.p);
    double sum = 0;
    for (const double x : w.p) {
        EXPECT(x >= 0, "no negative number", x);
        sum += x;
    }
    CHECK_NEAR(sum, 1, 1e-12);
    EXPECT(w.u >= 0 && w.u < 1, "u at least 0 and below 1", w.u);
}

}  // namespace

TEST_CASE("the right draw of .5, .25, .25 by quarters", "[ex03_3]") {
    const Distribution p{.5, .25, .25};
    INPUT(p);
    CHECK(draw(p, 0) == 0);
    CHECK(draw(p, .49) == 0);
    INFO("think about: segment 1 begins at .5 itself");
    CHECK(draw(p, .5) == 1);
    CHECK(draw(p, .75) == 2);
    CHECK(draw(p, last_u) == 2);
    CHECK(draw({1}, .3) == 0);
}

TEST_CASE("the first witness: draw_a gives what cannot come", "[ex03_3]") {
    const Witness w = witness_a();
    check_is_distribution(w);
    INPUT(w.p, w.u);
    const std::size_t i = draw_a(w.p, w.u);
    INFO("draw_a gives token " << i << " with probability " << w.p[i]
                               << "; think about: where is u <= sum, but not u < sum?");
    CHECK(w.p[i] == 0);
    CHECK(w.p[draw_b(w.p, w.u)] > 0);
}

TEST_CASE("the second witness: draw_b gives what cannot come", "[ex03_3]") {
    const Witness w = witness_b();
    check_is_distribution(w);
    INPUT(w.p, w.u);
    const std::size_t i = draw_b(w.p, w.u);
    INFO("draw_b gives token " << i << " with probability " << w.p[i]
                               << "; think about: who gets a u that is left over?");
    CHECK(w.p[i] == 0);
}

TEST_CASE("the right draw is right for both witnesses", "[ex03_3]") {
    THINK("a token with p = 0 is never the answer");
    for (const Witness& w : {witness_a(), witness_b()}) {
        INPUT(w.p, w.u);
        CHECK(w.p[draw(w.p, w.u)] > 0);
    }
}

TEST_CASE("banned tokens never come: not first, not between, not last", "[ex03_3]") {
    THINK("u < sum, and the last token that can come for what is left over");
    const Distribution p{0, 0, .25, 0, .75, 0, 0};
    INPUT(p);
    for (int k = 0; k < 64; ++k) {
        INFO("k = " << k);
        REQUIRE(draw(p, k / 64.0) == (k < 16 ? 2u : 4u));
    }
    CHECK(draw(p, last_u) == 4);
}

TEST_CASE("a sum that falls short gives the last token that can come", "[ex03_3]") {
    INFO("think about: ten times .1 is .9999999999999999 in doubles");
    const auto check = [](const Distribution& p, std::size_t expected) {
        INPUT(p);
        CHECK(draw(p, last_u) == expected);
    };
    check(Distribution(10, .1), 9);
    check({.1, .1, .1, .1, .1, .1, .1, .1, .1, .1, 0, 0, 0}, 9);
    check({0, 0, 0, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, 0, 0, 0}, 12);
}

TEST_CASE("any distribution: as many of 64 evenly spaced u as its sixty-fourths", "[ex03_3]") {
    THINK("segment i begins at p_0 + … + p_(i−1), which belongs to it, and ends before the next");
    Rng rng(33);
    for (int round = 0; round < 100; ++round) {
        std::vector<std::uint64_t> parts;
        for (std::uint64_t left = 64; left > 0; left -= parts.back())
            parts.push_back(rng.below(std::min<std::uint64_t>(left, 20) + 1));
        Distribution p;
        for (const std::uint64_t n : parts) p.push_back(static_cast<double>(n) / 64);
        std::vector<std::uint64_t> came(p.size(), 0);
        for (int k = 0; k < 64; ++k) ++came.at(draw(p, k / 64.0));
        for (std::size_t i = 0; i < p.size(); ++i) {
            INFO("round " << round << ", token " << i << " of " << p.size() << ", p = " << parts[i]
                          << "/64");
            REQUIRE(came[i] == parts[i]);
        }
    }
}

TEST_CASE("the sums are those of doubles, from left to right", "[ex03_3]") {
    INFO("think about: floats know seven digits, and (.1 + .1) + .1 is another number than .3");
    CHECK(draw({.3, .7}, .3) == 1);
    const Distribution tenths(10, .1);
    double sum = 0;
    for (std::size_t k = 1; k < 10; ++k) {
        sum += .1;
        INFO("u is the sum of the first " << k << " tenths");
        CHECK(draw(tenths, sum) == k);
        CHECK(draw(tenths, std::nextafter(sum, 0)) == k - 1);
    }
}
