// Exercise 08_02: the frequency and the presence penalty.
#include "08_02_counts.hpp"
#include "chapters/08_penalties/plain_penalties.hpp"
#include "tests/exercises/rows.hpp"

using namespace tbt;
using namespace tbt::ex08_02;

namespace {

using Row = std::vector<float>;
using Ids = std::vector<int>;

Row penalised(Row s, const Ids& text, double frequency, double presence) {
    penalise(s, text, frequency, presence);
    return s;
}

const Checker check("penalise(logits, text, frequency, presence)", penalised);

}  // namespace

TEST_CASE("four logits", "[ex08_02]") {
    check({5, 3, 2, 1}, {0, 1, 0, 0}, .5, .25, {3.25f, 2.25f, 2, 1}, "three times, and once");
}

TEST_CASE("each penalty alone", "[ex08_02]") {
    check({4, 4, 4}, {2, 2, 0}, 1, 0, {3, 4, 2}, "frequency: each further time costs more");
    check({4, 4, 4}, {2, 2, 0}, 0, 1, {3, 4, 3}, "presence: once, however often");
    check({4, 4, 4}, {2, 2, 0}, 0, 0, {4, 4, 4}, "both are off");
    check({4, 4, 4}, {}, 1, 1, {4, 4, 4}, "an empty text");
}

TEST_CASE("negative logits are treated like the others, and −∞ stays", "[ex08_02]") {
    check({-1, -INFINITY, 0}, {0, 1, 2}, .5, 1, {-2.5f, -INFINITY, -1.5f}, "no question of signs");
}

TEST_CASE("penalties below 0 reward", "[ex08_02]") {
    check({1, 1}, {1, 1}, -.5, -2, {1, 4}, "minus minus");
    check({1, 1}, {0, 1, 1}, 1, -2, {2, 1}, "the two are added");
}

TEST_CASE("rounded to a float once", "[ex08_02]") {
    // 2^24 + 1 is no float: floats would lose one .5 after the other.
    check({16777216}, {0, 0, 0, 0}, .5, 0, {16777214}, "in doubles");
    check({16777216}, {0}, -.75, -.75, {16777218}, "in doubles: 1.5 more, to the nearest float");
}

TEST_CASE("penalties must be finite, even for an empty text", "[ex08_02]") {
    for (const double x : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
        Row s{1, 2};
        INFO("penalty " << x << ": expected a UsageError");
        CHECK_THROWS_AS(penalise(s, Ids{0}, x, 0), UsageError);
        CHECK_THROWS_AS(penalise(s, Ids{0}, 0, x), UsageError);
        CHECK_THROWS_AS(penalise(s, Ids{}, x, x), UsageError);
    }
}

TEST_CASE("an id that is no token has no count", "[ex08_02]") {
    for (const int id : {-1, 2, 1000000}) {
        Row s{1, 2};
        INFO("id " << id << " of two tokens: expected an Error");
        CHECK_THROWS_AS(penalise(s, Ids{0, id}, 1, 1), Error);
    }
}

TEST_CASE("random rows: the same as the chapter's penalties by counts", "[ex08_02]") {
    Rng rng(82);
    for (int round = 0; round < 3000; ++round) {
        const Row s = some_row(rng, round);
        const Ids text = random_ids(rng, rng.below(12), s.size());
        const double frequency = rng.normal(), presence = rng.normal();
        Row expected = s;
        plain_frequency_presence(expected, text, frequency, presence);
        check(s, text, frequency, presence, expected, "c times the one, once the other");
    }
}
