#include "tests/catch.hpp"

#include "chapters/03_temperature/plain_draw.hpp"
#include "chapters/03_temperature/plain_temperature.hpp"
#include "lib/core/rng.hpp"
#include "tests/support/logits.hpp"

using namespace tbt;
using namespace tbt::test;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();

}  // namespace

TEST_CASE("temperature on the tutorials' logits gives the right numbers, not the printed ones") {
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

TEST_CASE("entropy, top probability and agreement of draws are those of the temperature explorer") {
    const double expected[][5] = {{.2, .000504, .999954, .999909, .999863},
                                  {.5, .111137, .979182, .959126, .938844},
                                  {.8, .426431, .895526, .807861, .718588},
                                  {1, .661073, .821030, .688421, .554892},
                                  {1.5, 1.136041, .646331, .457651, .275741}};
    for (const auto& [T, entropy, top, two, three] : expected) {
        const std::vector<double> distribution = softmax_at(eight, T);
        double sum2 = 0, sum3 = 0;
        for (const double p : distribution) sum2 += p * p, sum3 += p * p * p;
        require_close({entropy_at(eight, T), distribution[0], sum2, sum3},
                      {entropy, top, two, three});
    }
}

TEST_CASE("the temperatures of the visualizer exercise have their entropies") {
    std::vector<float> B, Z;
    for (int i = 0; i < 10; ++i)
        B.push_back(4.0f - 0.5f * static_cast<float>(i)),
            Z.push_back(-static_cast<float>(std::log(i + 1.0)));
    const std::vector<float> A{5, 3, 2, 1, 0.5f, -1, -2, -5, -6, -7};
    const auto entropy = [](const std::vector<float>& s, double T) { return entropy_at(s, T); };
    require_close({entropy(B, .1), entropy(B, 1), entropy(B, 2)}, {.040679, 1.662820, 2.079680},
                  1e-6);
    require_close({entropy(Z, .3), entropy(Z, 1), entropy(Z, 1.5)}, {.514866, 1.993806, 2.170608},
                  1e-6);
    require_close({entropy(A, .1), entropy(A, .7), entropy(A, 2)}, {.000000, .309926, 1.453103},
                  1e-6);
}

TEST_CASE("temperature zero keeps the argmax alone, of equal logits the lower id") {
    for (const std::vector<float>& s :
         {std::vector<float>{1, 4, 4, 2}, std::vector<float>{-inf, -3, -3},
          std::vector<float>{-2, 7, -inf, 7}}) {
        for (std::size_t i = 0; i < s.size(); ++i)
            REQUIRE(softmax_at(s, 0)[i] == (i == 1 ? 1.0 : 0.0));
        for (const double u : {0.0, 0.5, 1 - 0x1p-53}) REQUIRE(draw(s, 0, u) == 1);
    }
}

TEST_CASE("probabilities do not change when a constant is added to all logits") {
    std::vector<float> shifted = eight;
    for (float& x : shifted) x += 256.0f;
    require_close(softmax_at(shifted, 0.7), softmax_at(eight, 0.7), 0);
}

TEST_CASE("a temperature that is negative, NaN or infinite is refused with what is allowed") {
    for (const double T : {-1.0, -1e-300, std::nan(""), static_cast<double>(inf)})
        REQUIRE_THROWS_WITH(draw(eight, T, 0.5), Catch::Contains("expected a number >= 0"));
}

TEST_CASE("a row that is no distribution is refused, naming the token") {
    const auto weigh = [](std::vector<float> s) { integer_weights(s, 1); };
    REQUIRE_THROWS_WITH(weigh({1, std::nanf(""), 2}), Catch::Contains("token 1 is NaN"));
    REQUIRE_THROWS_WITH(weigh({1, 2, inf}), Catch::Contains("token 2 is +infinity"));
    REQUIRE_THROWS_WITH(weigh({-inf, -inf}), Catch::Contains("every token is masked"));
    REQUIRE_THROWS_AS(weigh({}), Error);
}

TEST_CASE("the draw points at the segment that u lies in, from 0 to just below 1") {
    // Worked example of the tutorial: cat .880797, dog .119203.
    const std::vector<float> s{10, 8};
    REQUIRE(draw(s, 1, 0) == 0);
    REQUIRE(draw(s, 1, .75) == 0);
    REQUIRE(draw(s, 1, .8807) == 0);
    REQUIRE(draw(s, 1, .8809) == 1);
    REQUIRE(draw(s, 1, 1 - 0x1p-53) == 1);
    // Four equal segments: the borders belong to the right.
    const std::vector<float> equal(4, 1.0f);
    REQUIRE((draw(equal, 1, .25 - 0x1p-54) == 0 && draw(equal, 1, .25) == 1 &&
             draw(equal, 1, .5) == 2 && draw(equal, 1, .75) == 3));
}

TEST_CASE("no u reaches a masked token, wherever it stands") {
    Rng rng(3);
    for (const std::size_t n : {3u, 255u, 256u, 257u, 600u}) {
        std::vector<float> s(n, -inf);
        s[1] = 0.5f;
        s[n / 2] = 0.25f;
        for (int i = 0; i < 200; ++i) {
            const int id = draw(s, 1, i == 0 ? 0 : i == 1 ? 1 - 0x1p-53 : rng.uniform());
            REQUIRE(s[index(id)] > -inf);
        }
    }
    // All the weight in front, everything masked after: u -> 1 must not run off.
    std::vector<float> front(700, -inf);
    front[0] = front[1] = 1;
    REQUIRE(draw(front, 1, 1 - 0x1p-53) == 1);
    REQUIRE_THROWS_AS(draw(front, 1, 1.0), Error);
    REQUIRE_THROWS_AS(draw(front, 1, -0.1), Error);
    REQUIRE_THROWS_AS(draw(front, 1, std::nan("")), Error);
}

TEST_CASE("the distribution of the draw is the softmax, to the width of a notch") {
    // The smallest u that gives token i or a later one is the probability of the tokens before it:
    // found by bisection.
    long double W = 0;
    for (const float s : eight) W += std::exp((static_cast<long double>(s) - 5) / 1.3L);
    long double before = 0;
    for (int i = 0; i < 7; ++i) {
        before += std::exp((static_cast<long double>(eight[index(i)]) - 5) / 1.3L) / W;
        double low = 0, high = 1 - 0x1p-53;
        for (int step = 0; step < 60; ++step) {
            const double middle = (low + high) / 2;
            (draw(eight, 1.3, middle) > i ? high : low) = middle;
        }
        REQUIRE(std::abs(static_cast<long double>(high) - before) <= 1e-12L);
    }
}

TEST_CASE(
    "a hundred thousand draws fit the distribution: chi-square with a false alarm once in a "
    "million seeds") {
    Rng rng(20240601);
    std::vector<int> count(8);
    for (int i = 0; i < 100000; ++i) ++count[index(draw(eight, 2, rng.uniform()))];
    double chi2 = 0;
    for (std::size_t i = 0; i < 8; ++i) {
        const double expected = 100000 * softmax_at(eight, 2)[i];
        chi2 += (count[i] - expected) * (count[i] - expected) / expected;
    }
    INFO("chi-square " << chi2 << " with 7 degrees of freedom");
    REQUIRE(chi2 <= 40.522);  // the 1 − 1e-6 quantile with 7 degrees of freedom
}
