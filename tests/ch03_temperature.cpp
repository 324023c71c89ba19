#include "tests/catch.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "chapters/03_temperature/sample.hpp"
#include "chapters/03_temperature/temperature.hpp"
#include "lib/kernels/rng.hpp"

using namespace tbt;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();

// The printed digits of spec/errata.md and spec/exercises.md: six places,
// so half a unit of the last.
void require_close(const std::vector<double>& got, const std::vector<double>& expected,
                   double tolerance = 5.1e-7) {
    REQUIRE(got.size() == expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
        INFO("at " << i << ": " << got[i] << ", expected " << expected[i]);
        REQUIRE(std::abs(got[i] - expected[i]) <= tolerance);
    }
}

const std::vector<float> eight{5, 3, 2, 1, 0.5f, -1, -2, -5};

}  // namespace

TEST_CASE("temperature on the tutorials' logits gives the right numbers, not the printed ones",
          "[ch03]") {
    const std::vector<float> three{2, 1, 0.5f};
    require_close(softmax_at(three, 0.5), {.843795, .114195, .042010});
    require_close(softmax_at(three, 1), {.628532, .231224, .140244});
    require_close(softmax_at(three, 2), {.481024, .291756, .227220});
    const std::vector<float> four{2, 1, 0.5f, -1};
    require_close(softmax_at(four, 0.5), {.842034, .113957, .041922, .002087});
    require_close(softmax_at(four, 1), {.609460, .224208, .135989, .030343});
    require_close(softmax_at(four, 2), {.434400, .263477, .205196, .096928});
    const std::vector<float> five{5, 3, 2, 1, 0.5f};
    require_close(softmax_at(five, 0.5), {.979189, .017934, .002427, .000328, .000121});
    require_close(softmax_at(five, 1), {.823352, .111429, .040992, .015080, .009147});
    require_close(softmax_at(five, 1.5), {.658673, .173624, .089142, .045767, .032793});
    require_close(softmax_at(std::vector<float>{5.2f, 4.8f, 3.2f, 2.1f}, 1),
                  {.540335, .362197, .073126, .024342});
}

TEST_CASE("entropy, top probability and agreement of draws are those of the temperature explorer",
          "[ch03]") {
    const double expected[][5] = {{.2, .000504, .999954, .999909, .999863},
                                  {.5, .111137, .979182, .959126, .938844},
                                  {.8, .426431, .895526, .807861, .718588},
                                  {1, .661073, .821030, .688421, .554892},
                                  {1.5, 1.136041, .646331, .457651, .275741}};
    for (const auto& [T, entropy, top, two, three] : expected) {
        Candidates c(eight);
        apply_temperature(c, T);
        double sum2 = 0, sum3 = 0;
        for (const double p : c.probabilities()) sum2 += p * p, sum3 += p * p * p;
        require_close({c.entropy(), c.probability(0), sum2, sum3}, {entropy, top, two, three});
    }
}

TEST_CASE("the temperatures of the visualizer exercise have their entropies", "[ch03]") {
    std::vector<float> B, Z;
    for (int i = 0; i < 10; ++i)
        B.push_back(4.0f - 0.5f * static_cast<float>(i)),
            Z.push_back(-static_cast<float>(std::log(i + 1.0)));
    const std::vector<float> A{5, 3, 2, 1, 0.5f, -1, -2, -5, -6, -7};
    const auto entropy = [](const std::vector<float>& s, double T) {
        Candidates c(s);
        apply_temperature(c, T);
        return c.entropy();
    };
    require_close({entropy(B, .1), entropy(B, 1), entropy(B, 2)}, {.040679, 1.662820, 2.079680},
                  1e-6);
    require_close({entropy(Z, .3), entropy(Z, 1), entropy(Z, 1.5)}, {.514866, 1.993806, 2.170608},
                  1e-6);
    require_close({entropy(A, .1), entropy(A, .7), entropy(A, 2)}, {.000000, .309926, 1.453103},
                  1e-6);
}

TEST_CASE("temperature zero keeps the argmax alone, of equal logits the lower id", "[ch03]") {
    for (const std::vector<float>& s :
         {std::vector<float>{1, 4, 4, 2}, std::vector<float>{-inf, -3, -3},
          std::vector<float>{-2, 7, -inf, 7}}) {
        Candidates c(s);
        apply_temperature(c, 0);
        REQUIRE(c.size() == 1);
        REQUIRE(c.id(0) == 1);
        REQUIRE(c.probability(0) == 1.0);
        for (const double u : {0.0, 0.5, 1 - 0x1p-53}) REQUIRE(draw(c, u) == 1);
    }
}

TEST_CASE("temperatures multiply, and neither a tiny nor a huge one breaks the law", "[ch03]") {
    Candidates c(eight);
    apply_temperature(c, 0.5);
    apply_temperature(c, 3);
    require_close(c.probabilities(), softmax_at(eight, 1.5), 0);
    REQUIRE(softmax_at(eight, 1e-300)[0] == 1.0);
    for (const double p : softmax_at(eight, 1e300)) REQUIRE(p == 0.125);
}

TEST_CASE("probabilities do not change when a constant is added to all logits", "[ch03]") {
    std::vector<float> shifted = eight;
    for (float& x : shifted) x += 256.0f;
    require_close(softmax_at(shifted, 0.7), softmax_at(eight, 0.7), 0);
}

TEST_CASE("a temperature that is negative, NaN or infinite is refused with what is allowed",
          "[ch03]") {
    for (const double T : {-1.0, -1e-300, std::nan(""), static_cast<double>(inf)}) {
        Candidates c(eight);
        REQUIRE_THROWS_WITH(apply_temperature(c, T), Catch::Contains("expected a number >= 0"));
    }
}

TEST_CASE("a row that is no distribution is refused, naming the token", "[ch03]") {
    const auto weigh = [](std::vector<float> s) { Candidates(s).total_weight(); };
    REQUIRE_THROWS_WITH(weigh({1, std::nanf(""), 2}), Catch::Contains("token 1 is NaN"));
    REQUIRE_THROWS_WITH(weigh({1, 2, inf}), Catch::Contains("token 2 is +infinity"));
    REQUIRE_THROWS_WITH(weigh({-inf, -inf}), Catch::Contains("every token is masked"));
    REQUIRE_THROWS_AS(weigh({}), Error);
}

TEST_CASE("entropy and log-probability are right at their limits", "[ch03]") {
    const std::vector<float> flat(1000, -2.5f), one{0, -inf, -inf}, far{0, -80};
    Candidates f(flat), o(one), d(far);
    REQUIRE(std::abs(f.entropy() - std::log(1000.0)) <= 1e-12);
    REQUIRE(o.entropy() == 0.0);
    // Where the weight is 0 the log-probability still comes from the logit.
    REQUIRE(d.weights()[1] == 0);
    REQUIRE(d.log_probability(1) == -80.0);
    REQUIRE(o.log_probability(1) == -static_cast<double>(inf));
}

TEST_CASE("the draw points at the segment that u lies in, from 0 to just below 1", "[ch03]") {
    // Worked example of the tutorial: cat .880797, dog .119203.
    const std::vector<float> s{10, 8};
    Candidates c(s);
    REQUIRE(draw(c, 0) == 0);
    REQUIRE(draw(c, .75) == 0);
    REQUIRE(draw(c, .8807) == 0);
    REQUIRE(draw(c, .8809) == 1);
    REQUIRE(draw(c, 1 - 0x1p-53) == 1);
    // Four equal segments: the borders belong to the right.
    const std::vector<float> equal(4, 1.0f);
    Candidates e(equal);
    REQUIRE((draw(e, .25 - 0x1p-54) == 0 && draw(e, .25) == 1 && draw(e, .5) == 2 &&
             draw(e, .75) == 3));
}

TEST_CASE("no u reaches a masked token, wherever it stands", "[ch03]") {
    Rng rng(3);
    for (const std::size_t n : {3u, 255u, 256u, 257u, 600u}) {
        std::vector<float> s(n, -inf);
        s[1] = 0.5f;
        s[n / 2] = 0.25f;
        Candidates c(s);
        for (int i = 0; i < 200; ++i) {
            const int id = draw(c, i == 0 ? 0 : i == 1 ? 1 - 0x1p-53 : rng.uniform());
            REQUIRE(s[static_cast<std::size_t>(id)] > -inf);
        }
    }
    // All the weight in front, everything masked behind: u -> 1 must not run off.
    std::vector<float> front(700, -inf);
    front[0] = front[1] = 1;
    Candidates c(front);
    REQUIRE(draw(c, 1 - 0x1p-53) == 1);
    REQUIRE_THROWS_AS(draw(c, 1.0), Error);
    REQUIRE_THROWS_AS(draw(c, -0.1), Error);
    REQUIRE_THROWS_AS(draw(c, std::nan("")), Error);
}

TEST_CASE("the law of the draw is the softmax, to the width of a notch", "[ch03]") {
    // The smallest u that gives token i or a later one is the probability of the tokens before it:
    // found by bisection.
    Candidates c(eight);
    apply_temperature(c, 1.3);
    long double W = 0;
    for (const float s : eight) W += std::exp((static_cast<long double>(s) - 5) / 1.3L);
    long double before = 0;
    for (int i = 0; i < 7; ++i) {
        before +=
            std::exp((static_cast<long double>(eight[static_cast<std::size_t>(i)]) - 5) / 1.3L) / W;
        double low = 0, high = 1 - 0x1p-53;
        for (int step = 0; step < 60; ++step) {
            const double middle = (low + high) / 2;
            (draw(c, middle) > i ? high : low) = middle;
        }
        REQUIRE(std::abs(static_cast<long double>(high) - before) <= 1e-12L);
    }
}

TEST_CASE(
    "a hundred thousand draws fit the law: chi-square with a false alarm once in a million seeds",
    "[ch03]") {
    Candidates c(eight);
    apply_temperature(c, 2);
    Rng rng(20240601);
    std::vector<int> count(8);
    for (int i = 0; i < 100000; ++i) ++count[static_cast<std::size_t>(draw(c, rng.uniform()))];
    double chi2 = 0;
    for (std::size_t i = 0; i < 8; ++i) {
        const double expected = 100000 * c.probability(i);
        chi2 += (count[i] - expected) * (count[i] - expected) / expected;
    }
    INFO("chi-square " << chi2 << " with 7 degrees of freedom");
    REQUIRE(chi2 <= 40.522);  // the 1 − 1e-6 quantile with 7 degrees of freedom
}

TEST_CASE(
    "the same u gives the same token whether the kept ones stand in a list or in the whole row",
    "[ch03]") {
    Rng rng(5);
    std::vector<float> s(3000), masked(3000, -inf);
    for (float& x : s) x = static_cast<float>(rng.normal());
    for (std::size_t i = 0; i < s.size(); ++i) {
        if (s[i] >= 1.0f) masked[i] = s[i];
    }
    Candidates list(s), row(masked);
    list.keep({1.0f});
    REQUIRE(list.size() == row.count());
    for (int i = 0; i < 500; ++i) {
        const double u = rng.uniform();
        REQUIRE(draw(list, u) == draw(row, u));
    }
}

TEST_CASE("an edit after a temperature changes s/T, and the row it came from stays as it was",
          "[ch03]") {
    const std::vector<float> s{2, 1, 0};
    Candidates c(s);
    apply_temperature(c, 0.5);
    *c.find(0) -= 2.0f;  // 4 − 2
    require_close(c.probabilities(), softmax_at(std::vector<float>{2, 2, 0}, 1), 0);
    REQUIRE(s[0] == 2.0f);
    c.keep({1.0f});
    REQUIRE(c.find(2) == nullptr);
    *c.find(1) = 0.0f;
    require_close(c.probabilities(), {1 / (1 + std::exp(-2.0)), 1 - 1 / (1 + std::exp(-2.0)), 0},
                  1e-12);
}
