// Exercise 06_3: mirostat, version 2.

#include "06_3_mirostat.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex06_3;

namespace {

using Distribution = std::vector<double>;
const Distribution four = {.5, .25, .125, .125};  // surprises 1, 2, 3, 3 bits
constexpr double exact = 1e-12;                   // a few roundings

Distribution zipf(int n, double exponent) {
    Distribution p;
    for (int i = 1; i <= n; ++i) p.push_back(std::pow(i, -exponent));
    return divided_by_sum(p);
}

}  // namespace

TEST_CASE("surprise is counted in bits", "[ex06_3]") {
    THINK("−log2 p");
    CHECK_NEAR(surprise(.5), 1, exact);
    CHECK_NEAR(surprise(.125), 3, exact);
    CHECK_NEAR(surprise(1), 0, exact);
    CHECK(surprise(0) == std::numeric_limits<double>::infinity());
}

TEST_CASE("a bar of 2.5 bits leaves two tokens, two thirds to one third", "[ex06_3]") {
    double mu = 2.5;
    INPUT(four);
    CHECK(mirostat(four, 1.5, .2, mu, .66) == 0);
    INFO(
        "think about: the drawn token surprised by 1 bit, half a bit less than wanted, so the bar "
        "rises by .2 times .5");
    CHECK_NEAR(mu, 2.6, exact);
    mu = 2.5;
    CHECK(mirostat(four, 1.5, .2, mu, .67) == 1);
    INFO("think about: 2 bits in the model's distribution; after the cut it would be 1.585");
    CHECK_NEAR(mu, 2.4, exact);
}

TEST_CASE("the most probable token always stays", "[ex06_3]") {
    THINK("when nothing is within the bar, the most probable token stays alone");
    double mu = .3;
    INPUT(four);
    CHECK(mirostat(four, 1.5, .1, mu, .999) == 0);
    CHECK_NEAR(mu, .35, exact);
    mu = -4;
    CHECK(mirostat(Distribution{.2, .4, .4}, 1, .1, mu, .999) == 1);
}

TEST_CASE("tokens lie on the wheel by id, and impossible ones not at all", "[ex06_3]") {
    THINK("the wheel goes by id; what has p = 0 has no segment");
    for (const auto& [u, id] : {std::pair{.0, 1}, {.24, 1}, {.26, 3}, {.999, 3}}) {
        double mu = std::numeric_limits<double>::infinity();
        INPUT(mu, u);
        CHECK(mirostat(Distribution{0, .25, 0, .75}, 1, .1, mu, u) == id);
    }
}

TEST_CASE("values that make no sense are refused", "[ex06_3]") {
    THINK("each number is checked before it is used; NaN compares as false");
    double mu = 3;
    CHECK_THROWS_AS(mirostat(four, -1, .1, mu, .5), UsageError);
    CHECK_THROWS_AS(mirostat(four, 3, 0, mu, .5), UsageError);
    CHECK_THROWS_AS(mirostat(four, 3, .1, mu, 1), UsageError);
    CHECK_THROWS_AS(mirostat(four, std::nan(""), .1, mu, .5), UsageError);
    CHECK_THROWS_AS(mirostat(four, 3, .1, mu, -.1), UsageError);
}

TEST_CASE("the surprise comes out as ordered, whatever the model's distribution", "[ex06_3]") {
    THINK("mu falls when the token surprised more than tau, and rises when less; nothing holds mu");
    // The mean error of n tokens is (mu_0 − mu_n)/(eta·n): mu stays within some bits of itself,
    // so it vanishes.
    for (const auto& [exponent, tau] : {std::pair{1., 3.}, {1., 5.}, {1.5, 2.}, {.7, 6.}}) {
        const Distribution p = zipf(1000, exponent);
        Rng rng(63);
        double mu = 2 * tau, sum = 0;
        constexpr int n = 4000;
        for (int i = 0; i < n; ++i)
            sum += surprise(p[static_cast<std::size_t>(mirostat(p, tau, .1, mu, rng.uniform()))]);
        INFO("Zipf with exponent " << exponent << ", tau " << tau << ": mean surprise " << sum / n
                                   << ", mu " << mu);
        CHECK_NEAR(sum / n, tau, .05);
    }
}

TEST_CASE("a token exactly as surprising as the bar stays", "[ex06_3]") {
    for (const auto& [bar, most] : {std::pair{1., 0}, {2., 1}, {3., 3}}) {
        double mu = bar;
        INFO("mu = " << bar << ": the last token that can come has id " << most);
        THINK("<=, not <");
        CHECK(mirostat(four, 2, .1, mu, 1 - 0x1p-53) == most);
    }
}

TEST_CASE("mu goes wherever the rule takes it", "[ex06_3]") {
    double mu = 100;
    CHECK(mirostat(Distribution{.999, .001}, 1, 20, mu, .9999) == 1);
    INFO("the distribution {.999, .001}, tau = 1, eta = 20, mu = 100, u = .9999: token 1");
    INFO("think about: 9.966 bits, 8.966 too many, twenty times that: mu is -79.3, below 0");
    CHECK_NEAR(mu, (100 - 20 * (surprise(.001) - 1)), 1e-9);
    mu = 3;  // and up
    INFO("one token alone, tau = 8, eta = 5, mu from 3 to 43 to 83");
    INFO("think about: the only token surprises by 0 bits, 8 too few, five times that");
    CHECK(mirostat(Distribution{1}, 8, 5, mu, .5) == 0);
    CHECK_NEAR(mu, 43, exact);
    CHECK(mirostat(Distribution{1}, 8, 5, mu, .5) == 0);
    CHECK_NEAR(mu, 83, exact);
}

TEST_CASE("the running sum must exceed u times the mass, not only reach it", "[ex06_3]") {
    double mu = 100;
    INFO("think about: at u = .5 token 0's half is used up");
    CHECK(mirostat(four, 1, .1, mu, .5) == 1);
    mu = 100;
    CHECK(mirostat(four, 1, .1, mu, .75) == 2);
    mu = 2;  // .75 is left, and .5 of them are two thirds
    CHECK(mirostat(Distribution{.25, .25, .5}, 1, .1, mu, .25) == 1);
    mu = 100;
    CHECK(mirostat(four, 1, .1, mu, 0) == 0);
}

TEST_CASE("tau of 0 is allowed", "[ex06_3]") {
    double mu = 2;
    CHECK(mirostat(four, 0, 1, mu, 0) == 0);
    CHECK_NEAR(mu, 1, exact);
}

TEST_CASE("any distribution: the rule, written out", "[ex06_3]") {
    Rng rng(6);
    for (int round = 0; round < 3000; ++round) {
        Distribution p(1 + static_cast<std::size_t>(round) / 200);
        for (double& x : p) x = rng.below(4) ? std::pow(rng.uniform(), 4) : 0;
        if (*std::max_element(p.begin(), p.end()) == 0) p[rng.below(p.size())] = 1;
        p = divided_by_sum(p);
        const double tau = 4 * rng.uniform(), eta = .05 + rng.uniform(), u = rng.uniform();
        const double before = 10 * rng.uniform() - 2;
        const auto best =
            static_cast<std::size_t>(std::max_element(p.begin(), p.end()) - p.begin());
        double mass = 0, passed = 0;
        std::vector<std::size_t> stay;
        for (std::size_t i = 0; i < p.size(); ++i)
            if (i == best || (p[i] > 0 && -std::log2(p[i]) <= before))
                stay.push_back(i), mass += p[i];
        std::size_t expected = stay.back();
        for (const std::size_t i : stay) {
            if ((passed += p[i]) <= u * mass) continue;
            expected = i;
            break;
        }
        const double bar = before - eta * (-std::log2(p[expected]) - tau);
        double mu = before;
        INPUT(p, tau, eta, before, u);
        THINK("who stays, the walk by id, then the dial");
        const int got = mirostat(p, tau, eta, mu, u);
        CHECK(got == static_cast<int>(expected));
        INFO("mu after it");
        CHECK_NEAR(mu, bar, 1e-9);
    }
}
