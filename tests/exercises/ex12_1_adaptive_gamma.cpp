// Exercise 12_1: published values, brute force, and a draft whose acceptance is known.
#include "12_1_adaptive_gamma.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex12_1;

namespace {

void check_tokens(double alpha, int gamma, double expected, double tolerance) {
    INPUT(alpha, gamma);
    CHECK_NEAR(expected_tokens(alpha, gamma), expected, tolerance);
}

}  // namespace

TEST_CASE("acceptance .7 and 5 drafted tokens give 2.941170 tokens a round", "[ex12_1]") {
    THINK("1 + α + α² + … + α^γ");
    check_tokens(.7, 5, 2.941170, 1e-9);
}

TEST_CASE("the values of Leviathan et al., table 1", "[ex12_1]") {
    INFO("think about: the target itself always adds one token, so there are γ + 1 terms");
    check_tokens(.6, 2, 1.96, .005);  // printed with two decimals
    check_tokens(.7, 3, 2.53, .005);
    check_tokens(.8, 2, 2.44, .005);
    check_tokens(.8, 5, 3.69, .005);
    check_tokens(.9, 2, 2.71, .005);
    check_tokens(.9, 10, 6.86, .005);
}

TEST_CASE("a draft that is never right gives one token, one that always is gives all and one more",
          "[ex12_1]") {
    INFO("think about: (1 − α^(γ+1)) / (1 − α) at α = 1");
    for (const int gamma : {0, 1, 4, 9}) {
        check_tokens(0, gamma, 1, 0);
        check_tokens(1, gamma, gamma + 1, 1e-12);
    }
    check_tokens(.5, 0, 1, 0);
}

TEST_CASE("the gain divides by what the round costs", "[ex12_1]") {
    THINK("tokens / (1 + γ · c)");
    CHECK_NEAR(gain(.7, 5, .1), 2.941170 / 1.5, 1e-9);
    CHECK_NEAR(gain(.8, 2, 0), 2.44, 1e-12);  // a draft that costs nothing
    CHECK(gain(.9, 0, .3) == 1);              // no draft: as without
    CHECK(gain(.2, 5, .5) < 1);               // slower than without
}

TEST_CASE("γ is chosen by trying all of them", "[ex12_1]") {
    // c = .1, α = .7: gains 1 1.5455 1.825 1.9485 1.9808 1.9608 …: the fifth is the greatest.
    CHECK(best_gamma(.7, .1, 10) == 4);
    CHECK(best_gamma(.7, .1, 3) == 3);
    CHECK(best_gamma(.7, .1, 0) == 0);
    INFO("think about: when the draft costs more than it brings, don't draft");
    CHECK(best_gamma(.2, .3, 10) == 0);
    CHECK(best_gamma(0, .05, 10) == 0);
    INFO("think about: of equal gains the smallest γ: α = 0 at no cost gains nothing either");
    CHECK(best_gamma(0, 0, 10) == 0);
    CHECK(best_gamma(1, .9, 6) == 6);
    CHECK(best_gamma(.5, .5, 5) == 0);  // γ = 1 costs exactly what it brings
}

TEST_CASE("no γ gains more than the chosen one", "[ex12_1]") {
    THINK("try every γ from 0 to the greatest; a later one has to gain more");
    Rng rng(4);
    for (int i = 0; i < 300; ++i) {
        const double alpha = rng.uniform(), cost = rng.uniform() / 2;
        const int most = static_cast<int>(rng.below(12));
        const int chosen = best_gamma(alpha, cost, most);
        INFO("α = " << alpha << ", c = " << cost << ", at most " << most << "; chosen " << chosen);
        REQUIRE(chosen >= 0);
        REQUIRE(chosen <= most);
        for (int gamma = 0; gamma <= most; ++gamma) {
            double tokens = 0;
            for (int j = 0; j <= gamma; ++j) tokens += std::pow(alpha, j);
            INFO("γ = " << gamma << " gains " << tokens / (gamma * cost + 1));
            CHECK(tokens / (gamma * cost + 1) <=
                  gain(alpha, chosen, cost) + 1e-12);  // a dozen roundings
        }
    }
}

TEST_CASE("α begins at one half, and every judged token moves it", "[ex12_1]") {
    AdaptiveGamma a(.1, 8);
    INFO("AdaptiveGamma a(.1, 8), and after it");
    CHECK(a.alpha() == .5);
    a.observe(4, 4);  // four judged, four accepted
    INFO("a.observe(4, 4)");
    CHECK_NEAR(a.alpha(), 5. / 6, 1e-15);
    INFO(
        "think about: 4 drafted, 1 accepted. Two were judged, the third and fourth never looked "
        "at");
    a.observe(4, 1);
    INFO("a.observe(4, 1)");
    CHECK_NEAR(a.alpha(), 6. / 8, 1e-15);
    a.observe(4, 0);
    INFO("a.observe(4, 0)");
    CHECK_NEAR(a.alpha(), 6. / 9, 1e-15);
    a.observe(0, 0);  // nothing was drafted
    INFO("a.observe(0, 0)");
    CHECK_NEAR(a.alpha(), 6. / 9, 1e-15);
}

TEST_CASE("a good draft lengthens the rounds, a bad one ends them", "[ex12_1]") {
    THINK("the estimate goes to the share that is accepted, and γ with it");
    AdaptiveGamma good(.1, 8), bad(.1, 8);
    for (int i = 0; i < 50; ++i) good.observe(4, 4), bad.observe(4, 0);
    CHECK(good.gamma() == 8);
    CHECK(bad.gamma() == 0);
}

TEST_CASE("the estimate is the acceptance, however long the rounds are", "[ex12_1]") {
    THINK("every judged token counts once; what was not judged does not count");
    // 20,000 rounds judge at least 20,000 tokens: the standard deviation is below .0036,
    // and .02 is more than five of them.
    for (const int drafted : {1, 3, 8}) {
        AdaptiveGamma a(.1, 8);
        Rng rng(static_cast<std::uint64_t>(drafted));
        for (int round = 0; round < 20000; ++round) {
            int accepted = 0;
            while (accepted < drafted && rng.uniform() < .7) ++accepted;
            a.observe(drafted, accepted);
        }
        INFO("rounds of " << drafted << " drafted tokens, true acceptance .7, estimate "
                          << a.alpha());
        CHECK_NEAR(a.alpha(), .7, .02);
    }
}
