// Exercise 03_4: dynamic temperature.
#include "03_4_dynamic.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex03_4;

namespace {

using Row = std::vector<float>;
constexpr float gone = -INFINITY;

// Logits are floats, and six places were computed.
const Checker check_temperature("dynamic_temperature(logits, low, high, exponent)",
                                ex03_4::dynamic_temperature, 1e-6);

}  // namespace

TEST_CASE("all equal gives the highest temperature, one certain token the lowest", "[ex03_4]") {
    THINK("h = entropy / ln n is 1 where all are equal and 0 where one is certain");
    check_temperature(Row{3, 3, 3, 3}, .5, 1.5, 1, 1.5);
    check_temperature(Row{0, 200, 0}, .5, 1.5, 1, .5);
}

TEST_CASE("p = .5 .25 .25: h = 1.5 ln 2 / ln 3 = .946395", "[ex03_4]") {
    const Row s{static_cast<float>(std::log(2.0)), 0, 0};
    check_temperature(s, .5, 1.5, 1, 1.446395);
    check_temperature(s, 0, 2, 1, 1.892789);
    INFO("think about: the exponent bends h, not T");
    check_temperature(s, .5, 1.5, 2, 1.395663);
    check_temperature(s, .5, 1.5, .5, 1.472828);
}

TEST_CASE("the doubt is that of the distribution at temperature 1, in the same unit as ln n",
          "[ex03_4]") {
    THINK(
        "the distribution at temperature 1 decides how much doubt there is, and n counts what can "
        "come");
    // [5, 3, 2, 1, .5, −1, −2, −5]: entropy .661073 nats of at most ln 8 = 2.079442
    check_temperature(Row{5, 3, 2, 1, .5f, -1, -2, -5}, 0, 1, 1, .317909);
}

TEST_CASE("banned tokens are no choice", "[ex03_4]") {
    INFO("think about: of two equal tokens and two banned ones, how much is open?");
    check_temperature(Row{1, gone, 1, gone}, .5, 1.5, 1, 1.5);
    check_temperature(Row{gone, 4, gone}, .5, 1.5, 1, .5);
    check_temperature(Row{4}, .5, 1.5, 1, .5);
    // −90 is improbable, not banned: three to choose from, h = ln 2 / ln 3.
    check_temperature(Row{0, 0, -90}, 0, 1, 1, std::log(2) / std::log(3));
    INFO("think about: −2000 is a logit too, though e to that is 0 in doubles");
    check_temperature(Row{0, 0, -2000}, 0, 1, 1, std::log(2) / std::log(3));
    check_temperature(Row{0, -2000}, .5, 1.5, 1, .5);
}

TEST_CASE("a range of one temperature is that temperature (llama.cpp's published cases)",
          "[ex03_4]") {
    THINK("low + (high − low) · anything, with low = high");
    CHECK(dynamic_temperature(Row{.1f, .2f, .3f, .4f}, 1, 1) == 1);
    CHECK(dynamic_temperature(Row{.1f, .2f, .3f, .4f}, 0, 0) == 0);
}

TEST_CASE("numbers that make no sense are refused", "[ex03_4]") {
    THINK("each number is checked before it is used; NaN compares as false");
    const Row s{1, 2};
    CHECK_THROWS_AS(dynamic_temperature(s, -.1, 1), UsageError);
    CHECK_THROWS_AS(dynamic_temperature(s, 1, .9), UsageError);
    CHECK_THROWS_AS(dynamic_temperature(s, 0, INFINITY), UsageError);
    CHECK_THROWS_AS(dynamic_temperature(s, std::nan(""), 1), UsageError);
    CHECK_THROWS_AS(dynamic_temperature(s, 0, std::nan("")), UsageError);
    CHECK_THROWS_AS(dynamic_temperature(s, 0, 1, 0), UsageError);
    CHECK_THROWS_AS(dynamic_temperature(s, 0, 1, INFINITY), UsageError);
    CHECK_THROWS_AS(dynamic_temperature(s, INFINITY, INFINITY), UsageError);
    CHECK_THROWS_AS(dynamic_temperature(s, 0, 1, std::nan("")), UsageError);
    THINK("one token left, or a range of one temperature, is no excuse for the other numbers");
    for (const Row& one : {Row{4}, Row{gone, 4, gone}}) {
        CHECK_THROWS_AS(dynamic_temperature(one, -.1, 1), UsageError);
        CHECK_THROWS_AS(dynamic_temperature(one, 1, .9), UsageError);
        CHECK_THROWS_AS(dynamic_temperature(one, 0, INFINITY), UsageError);
        CHECK_THROWS_AS(dynamic_temperature(one, 0, 1, 0), UsageError);
    }
    CHECK_THROWS_AS(dynamic_temperature(s, 1, 1, -1), UsageError);
}

TEST_CASE(
    "any logits: between low and high, the same in any order, more doubt a higher temperature",
    "[ex03_4]") {
    Rng rng(34);
    for (int round = 0; round < 200; ++round) {
        const Row s = normal_row<float>(rng, 1 + static_cast<std::size_t>(round) / 10, 4);
        const double low = rng.uniform(), high = low + rng.uniform(),
                     exponent = .3 + 2 * rng.uniform();
        INPUT(s, low, high, exponent);
        const double T = dynamic_temperature(s, low, high, exponent);
        INFO("round " << round << ", exponent " << exponent << ": got " << T);
        REQUIRE(T >= low);
        REQUIRE(T <= high);
        Row reversed(s.rbegin(), s.rend()), doubtful = s;
        for (float& x : doubtful) x /= 2;
        CHECK_NEAR(dynamic_temperature(reversed, low, high, exponent), T, 1e-9);
        REQUIRE(dynamic_temperature(doubtful, low, high, exponent) >= T - 1e-9);
    }
    INFO("think about: rounding may make h a little more than 1");
    for (int n = 2; n < 200; ++n)
        REQUIRE(dynamic_temperature(Row(static_cast<std::size_t>(n), .3f), .1, .7) <= .7);
}
