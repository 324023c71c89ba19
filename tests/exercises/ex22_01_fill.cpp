// Exercise 22_01: fill the masked places, all at once and one after the other.
#include "22_01_fill.hpp"
#include "tests/exercises/exercise_check.hpp"
#include "tests/exercises/masked_distributions.hpp"

using namespace tbt;
using namespace tbt::ex22_01;

namespace {

using Row = tbt::ex22_01::Row;  // not that of other exercises
using Places = std::vector<std::size_t>;

const Checker check_places("masked_places(row)", ex22_01::masked_places);

// A sampler with a model of three tokens that takes notes: which row it was shown, and which place
// it was asked about, in words. The draw takes tokens 1, 2, 0, 1, … whatever the distribution.
template <class Fill>
std::vector<std::string> questions(const Fill& fill, Row& row) {
    std::vector<std::string> asked;
    const Distribution distribution = [&](const Row& seen, std::size_t place) {
        asked.push_back("place " + std::to_string(place) + " of " + exercise_check::shown(seen));
        return std::vector<double>{.5, .25, .25};
    };
    int drawn = 0;
    fill(row, distribution, [&](const std::vector<double>& p) {
        EXPECT(p == std::vector<double>({.5, .25, .25}), "a draw from the distribution, as it is",
               p);
        EXPECT(drawn < 20, "one draw for each masked place", drawn);
        return ++drawn % 3;
    });
    return asked;
}

void check_questions(bool at_once, const Row& before, const std::vector<std::string>& expected,
                     const Row& filled, const char* think) {
    const auto fill = at_once ? fill_at_once : fill_in_turn;
    INFO((at_once ? "fill_at_once" : "fill_in_turn")
         << ", the tokens drawn are 1, 2, 0; asked: what the model was asked, in order");
    INPUT(before);
    THINK(think);
    Row row = before;
    const std::vector<std::string> asked = questions(fill, row);
    CHECK(asked == expected);
    CHECK(row == filled);
}

}  // namespace

TEST_CASE("the masked places are those that hold -1, from the left", "[ex22_01]") {
    check_places({masked, 7, masked, 0}, {0, 2}, "places count from 0, and token 0 is a token");
    check_places({5, masked}, {1}, "the last place counts");
    check_places({masked, masked, masked}, {0, 1, 2}, "all of them");
    check_places({1, 2}, {}, "nothing is masked");
    check_places({}, {}, "no places at all");
}

TEST_CASE("at once: the model always sees the row as it was at first", "[ex22_01]") {
    check_questions(true, {masked, 7, masked}, {"place 0 of -1 7 -1", "place 2 of -1 7 -1"},
                    {1, 7, 2}, "at the second place the first is still masked for the model");
    check_questions(true, {masked, masked, masked},
                    {"place 0 of -1 -1 -1", "place 1 of -1 -1 -1", "place 2 of -1 -1 -1"},
                    {1, 2, 0}, "each masked place once, from the left");
    check_questions(true, {4, masked, 0}, {"place 1 of 4 -1 0"}, {4, 1, 0},
                    "tokens that are there stay");
    check_questions(true, {4, 0}, {}, {4, 0}, "nothing is masked: nothing to ask");
}

TEST_CASE("in turn: the model sees what was drawn before", "[ex22_01]") {
    check_questions(false, {masked, 7, masked}, {"place 0 of -1 7 -1", "place 2 of 1 7 -1"},
                    {1, 7, 2}, "at the second place the token of the first is there");
    check_questions(false, {masked, masked, masked},
                    {"place 0 of -1 -1 -1", "place 1 of 1 -1 -1", "place 2 of 1 2 -1"}, {1, 2, 0},
                    "each masked place once, from the left");
    check_questions(false, {4, masked, 0}, {"place 1 of 4 -1 0"}, {4, 1, 0},
                    "tokens that are there stay");
    check_questions(false, {4, 0}, {}, {4, 0}, "nothing is masked: nothing to ask");
}

TEST_CASE("in turn writes three cities as often as there are", "[ex22_01]") {
    INFO("fill_in_turn, New York 50 %, Los Angeles 30 %, San Diego 20 %; tokens 0 to 5");
    THINK("what was drawn is known to what comes later");
    check_distribution(distribution_of(fill_in_turn, perfect(cities, 6), {masked, masked}), cities);
}

TEST_CASE("at once writes cities that there are not", "[ex22_01]") {
    INFO("fill_at_once, New York 50 %, Los Angeles 30 %, San Diego 20 %; tokens 0 to 5");
    Joint expected;
    for (const auto& [one, p] : cities)
        for (const auto& [other, q] : cities) expected[{one[0], other[1]}] = p * q;
    const Joint got = distribution_of(fill_at_once, perfect(cities, 6), {masked, masked});
    THINK("each place is drawn as if the other were still masked");
    check_distribution(got, expected);
    CHECK(got.size() == expected.size());
}

TEST_CASE(
    "any model of three places: in turn keeps its distribution, at once multiplies the places'",
    "[ex22_01]") {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
        const Joint joint = random_joint(seed);
        INFO("a random distribution of three places and three tokens");
        const auto distribution = perfect(joint, 3);
        THINK("what was drawn is known to what comes later, or is not");
        check_distribution(distribution_of(fill_in_turn, distribution, {masked, masked, masked}),
                           joint);
        Joint apart;
        for (const auto& [text, probability] : joint) {
            apart[text] = 1;
            for (std::size_t i = 0; i < 3; ++i)
                apart[text] *= distribution({masked, masked, masked}, i)[std::size_t(text[i])];
        }
        check_distribution(distribution_of(fill_at_once, distribution, {masked, masked, masked}),
                           apart);
    }
}
