// Exercise 22_2: the order that keeps the distribution. The distribution of what is written,
// by enumeration.
#include "22_2_order.hpp"
#include "tests/exercises/exercise_check.hpp"
#include "tests/exercises/masked_distributions.hpp"

using namespace tbt;
using namespace tbt::ex22_2;

namespace {

using Row = tbt::ex22_2::Row;  // other exercises of the room have a Row

// Certain of the places by their number: .5, .9, .7.
std::vector<double> certain(const Row&, std::size_t place) {
    const double p[] = {.5, .9, .7};
    return {p[place], 1 - p[place]};
}

// One distribution for place 0, another for all others.
Distribution either(const std::vector<double>& first, const std::vector<double>& others) {
    return [=](const Row&, std::size_t place) { return place == 0 ? first : others; };
}

// Three masked places are filled, the most or the least certain one first.
void fill_three(bool least, const Distribution& distribution, const Draw& draw) {
    Row row = {masked, masked, masked};
    if (least) fill_least(row, distribution, draw);
    else fill(row, distribution, draw);
}

}  // namespace

TEST_CASE("the most certain place is one that is masked, the leftmost of several", "[ex22_2]") {
    CHECK(most_certain({masked, masked, masked}, certain) == 1);
    CHECK(most_certain({masked, 0, masked}, certain) == 2);
    CHECK(most_certain({masked, 0, 0}, certain) == 0);
    const std::vector<double> even{.1, .6, .3};
    CHECK(most_certain({0, masked, masked}, either(even, even)) == 1);
    CHECK(most_certain({masked, masked}, either({.6, .4}, {.1, .9})) == 1);
    {
        THINK("the largest probability counts, whatever the others are");
        INFO("place 0: {.5, .5, 0}, place 1: {.4, .3, .3}");
        CHECK(most_certain({masked, masked}, either({.5, .5, 0}, {.4, .3, .3})) == 0);
        INFO("place 0: {.5, .5, 0, 0}, place 1: {.55, .15, .15, .15}");
        CHECK(most_certain({masked, masked}, either({.5, .5, 0, 0}, {.55, .15, .15, .15})) == 1);
        INFO("place 0: {.6, .4}, place 1: {.6 + 10^-9, .4 − 10^-9}");
        THINK("a little more certain is more certain");
        CHECK(most_certain({masked, masked}, either({.6, .4}, {.6 + 1e-9, .4 - 1e-9})) == 1);
    }
    CHECK_THROWS_AS(most_certain({0, 1}, certain), Error);
}

TEST_CASE("what is masked is filled, the rest stays, and each step asks about the row of now",
          "[ex22_2]") {
    THINK(
        "the place is chosen anew after each token, and its distribution is of the row as it is "
        "then");
    INFO("fill {masked, 7, masked}: place 0 is certain, and decides place 2");
    const Distribution distribution = [](const Row& row, std::size_t place) {
        INFO("think about: what was drawn is known to all that comes later");
        REQUIRE(row[1] == 7);
        if (place == 0) return std::vector<double>{1, 0};
        REQUIRE(place == 2);
        return row[0] == masked ? std::vector<double>{.6, .4} : std::vector<double>{0, 1};
    };
    Row row = {masked, 7, masked};
    fill(row, distribution, [](const std::vector<double>& p) { return p[0] > p[1] ? 0 : 1; });
    REQUIRE(row == Row{0, 7, 1});
    Row full = {1, 2};
    fill(full, distribution, [](const std::vector<double>&) { return 0; });
    fill_least(full, distribution, [](const std::vector<double>&) { return 0; });
    REQUIRE(full == Row{1, 2});
}

TEST_CASE("the order is from certain to uncertain, and the other way round", "[ex22_2]") {
    THINK("fill takes the greatest maximum first, fill_least the smallest");
    for (const bool least : {false, true}) {
        std::vector<double> drawn;
        fill_three(least, certain, [&](const std::vector<double>& p) {
            drawn.push_back(p[0]);
            return 0;
        });
        INFO((least ? "fill_least" : "fill") << "; one draw for each place");
        REQUIRE(drawn ==
                (least ? std::vector<double>{.5, .7, .9} : std::vector<double>{.9, .7, .5}));
    }
    // What was drawn at place 0 turns the two others round.
    for (const bool least : {false, true}) {
        std::vector<std::size_t> order;
        const Distribution turning = [&](const Row& now, std::size_t place) {
            const bool begun = now[0] != masked;
            const double first = least ? .5 : .9;
            const double p = place == 0 ? first : (place == 1) != begun ? .8 : .6;
            return std::vector<double>{p, 1 - p - static_cast<double>(place) / 100,
                                       static_cast<double>(place) / 100};
        };
        fill_three(least, turning, [&](const std::vector<double>& p) {
            order.push_back(static_cast<std::size_t>(std::lround(100 * p[2])));
            return 0;
        });
        THINK("the places that are left are asked again after each token");
        INFO((least ? "fill_least" : "fill")
             << ": at first place 1 has .8 and place 2 .6, after the token of place 0 the other "
                "way round");
        CHECK(order ==
              (least ? std::vector<std::size_t>{0, 1, 2} : std::vector<std::size_t>{0, 2, 1}));
    }
    // Of several that are least certain, the leftmost.
    std::vector<std::size_t> asked_last;
    const Distribution even = [&](const Row& row, std::size_t place) {
        if (place == 0) return std::vector<double>{.5, .5, 0};
        return row[0] == masked ? std::vector<double>{.5, .4, .1} : std::vector<double>{.6, .4, 0};
    };
    Row row = {masked, masked};
    fill_least(row, even, [&](const std::vector<double>& p) {
        asked_last.push_back(p[1] == .5 ? 0 : 1);
        return 0;
    });
    THINK("of several that are equally uncertain, the leftmost");
    INFO("fill_least: both places have .5 at first");
    REQUIRE(asked_last == std::vector<std::size_t>{0, 1});
}

TEST_CASE("a little less certain is less certain", "[ex22_2]") {
    THINK("10^-9 less certain is less certain: only equal numbers leave it to the leftmost");
    std::vector<double> drawn;
    Row row = {masked, masked};
    INFO("place 0: {.6, .4}, place 1: {.6 − 10^-9, .4 + 10^-9}; drawn: the first number, in order");
    fill_least(row, either({.6, .4}, {.6 - 1e-9, .4 + 1e-9}), [&](const std::vector<double>& p) {
        drawn.push_back(p[0]);
        return 0;
    });
    CHECK(drawn == std::vector<double>{.6 - 1e-9, .6});
}

TEST_CASE("New York one half, Los Angeles three tenths, San Diego two tenths, and nothing else",
          "[ex22_2]") {
    THINK("the order must not depend on what was drawn in the same step");
    const Distribution distribution = perfect(cities, 6);
    check_distribution(distribution_of(fill, distribution, {masked, masked}), cities);
    check_distribution(distribution_of(fill_least, distribution, {masked, masked}), cities);
}

TEST_CASE("of any perfect model the distribution is kept, in both orders", "[ex22_2]") {
    THINK("the order must not depend on what was drawn in the same step");
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const Joint joint = random_joint(seed);
        const Distribution distribution = perfect(joint, 3);
        const Row blank(3, masked);
        const Joint got = distribution_of(fill, distribution, blank);
        REQUIRE(got.size() == 27);
        check_distribution(got, joint);
        check_distribution(distribution_of(fill_least, distribution, blank), joint);
    }
}
