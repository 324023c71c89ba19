// Exercise 08_02: the frequency and the presence penalty.
#include "tests/exercises/exercise_check.hpp"

#include "08_02_counts.hpp"
#include "chapters/08_penalties/plain_penalties.hpp"
#include "tests/exercises/rows.hpp"

using namespace tbt;
using namespace tbt::ex08_02;

namespace {

using Row = std::vector<float>;
using Ids = std::vector<int>;

void check(Row s, const Ids& text, double frequency, double presence, const Row& expected,
           const std::string& think) {
    const std::string given = "logits " + in_words(s) + ", text " + in_words(text) +
                              ", frequency " + in_words(frequency) + ", presence " +
                              in_words(presence);
    const auto penalised = [&] {
        penalise(s, text, frequency, presence);
        return s;
    };
    same(penalised, expected, given, think);
}

}  // namespace

TEST_CASE("four logits", "[ex08_02]") {
    THINK("four logits");
    check({5, 3, 2, 1}, {0, 1, 0, 0}, .5, .25, {3.25f, 2.25f, 2, 1}, "three times, and once");
}

TEST_CASE("each penalty alone", "[ex08_02]") {
    THINK("each penalty alone");
    check({4, 4, 4}, {2, 2, 0}, 1, 0, {3, 4, 2}, "frequency: each further time costs more");
    check({4, 4, 4}, {2, 2, 0}, 0, 1, {3, 4, 3}, "presence: once, however often");
    check({4, 4, 4}, {2, 2, 0}, 0, 0, {4, 4, 4}, "both are off");
    check({4, 4, 4}, {}, 1, 1, {4, 4, 4}, "an empty text");
}

TEST_CASE("negative logits are treated like the others, and −∞ stays", "[ex08_02]") {
    THINK("negative logits are treated like the others, and −∞ stays");
    check({-1, -INFINITY, 0}, {0, 1, 2}, .5, 1, {-2.5f, -INFINITY, -1.5f}, "no question of signs");
}

TEST_CASE("penalties below 0 reward", "[ex08_02]") {
    THINK("penalties below 0 reward");
    check({1, 1}, {1, 1}, -.5, -2, {1, 4}, "minus minus");
    check({1, 1}, {0, 1, 1}, 1, -2, {2, 1}, "the two are added");
}

TEST_CASE("rounded to a float once", "[ex08_02]") {
    THINK("rounded to a float once");
    // 2^24 + 1 is no float: floats would lose one .5 after the other.
    check({16777216}, {0, 0, 0, 0}, .5, 0, {16777214}, "in doubles");
    check({16777216}, {0}, -.75, -.75, {16777218}, "in doubles: 1.5 more, to the nearest float");
}

TEST_CASE("penalties must be finite, even for an empty text", "[ex08_02]") {
    THINK("penalties must be finite, even for an empty text");
    for (const double x : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
        Row s{1, 2};
        INFO("penalty " << x << ": expected a UsageError");
        CHECK_THROWS_AS(penalise(s, Ids{0}, x, 0), UsageError);
        CHECK_THROWS_AS(penalise(s, Ids{0}, 0, x), UsageError);
        CHECK_THROWS_AS(penalise(s, Ids{}, x, x), UsageError);
    }
}

TEST_CASE("an id that is no token has no count", "[ex08_02]") {
    THINK("an id that is no token has no count");
    for (const int id : {-1, 2, 1000000}) {
        Row s{1, 2};
        INFO("id " << id << " of two tokens: expected an Error");
        CHECK_THROWS_AS(penalise(s, Ids{0, id}, 1, 1), Error);
    }
}

TEST_CASE("random rows: the same as the chapter's penalties by counts", "[ex08_02]") {
    THINK("random rows: the same as the chapter's penalties by counts");
    Rng rng(82);
    for (int round = 0; round < 3000; ++round) {
        const Row s = some_row(rng, round);
        Ids text(rng.below(12));
        for (int& id : text) id = static_cast<int>(rng.below(s.size()));
        const double frequency = rng.normal(), presence = rng.normal();
        Row expected = s;
        plain_frequency_presence(expected, text, frequency, presence);
        check(s, text, frequency, presence, expected, "c times the one, once the other");
    }
}
