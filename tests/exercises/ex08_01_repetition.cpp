// Exercise 08_01: the repetition penalty.
#include "08_01_repetition.hpp"
#include "chapters/08_penalties/plain_penalties.hpp"
#include "tests/exercises/rows.hpp"

using namespace tbt;
using namespace tbt::ex08_01;

namespace {

using Row = std::vector<float>;
using Ids = std::vector<int>;

Row penalised(Row s, const Ids& text, float theta) {
    penalise(s, text, theta);
    return s;
}

const Checker check("penalise(logits, text, theta)", penalised);

}  // namespace

TEST_CASE("four logits, θ = 2", "[ex08_01]") {
    check({3, 2, -1, -1}, {0, 2, 0}, 2, {1.5f, 2, -2, -1}, "divide above 0, multiply below");
}

TEST_CASE("once for each token, wherever and however often it occurs", "[ex08_01]") {
    check({8, 8}, {1, 1, 1, 1}, 2, {8, 4}, "once, not four times");
    check({8, 8}, {1, 0, 1}, 2, {4, 4}, "once each");
    check({8, -8}, {0, 1, 1, 0}, 2, {4, -16}, "once each");
}

TEST_CASE("0 stays 0, and −∞ stays −∞", "[ex08_01]") {
    check({0, -INFINITY, 1}, {0, 1}, 3, {0, -INFINITY, 1}, "0/θ, and −∞·θ");
}

TEST_CASE("θ = 1 changes nothing, below 1 is a reward", "[ex08_01]") {
    check({3, -2}, {0, 1}, 1, {3, -2}, "off");
    check({3, -2}, {0, 1}, .5, {6, -1}, "half of it");
    check({3, -2}, {}, 5, {3, -2}, "an empty text");
}

TEST_CASE("θ must be a finite number above 0, even for an empty text", "[ex08_01]") {
    for (const float theta : {0.0f, -1.0f, INFINITY, std::nanf("")}) {
        Row s{1, 2};
        INFO("θ = " << theta << ": expected a UsageError");
        CHECK_THROWS_AS(penalise(s, Ids{0}, theta), UsageError);
        CHECK_THROWS_AS(penalise(s, Ids{}, theta), UsageError);
    }
}

TEST_CASE("an id that is no token is an error", "[ex08_01]") {
    for (const int id : {-1, 2, 1000000}) {
        Row s{1, 2};
        INFO("id " << id << " of two tokens: expected an Error");
        CHECK_THROWS_AS(penalise(s, Ids{0, id}, 1.5f), Error);
    }
}

TEST_CASE("random rows: the same as the chapter's repetition penalty", "[ex08_01]") {
    Rng rng(81);
    for (int round = 0; round < 3000; ++round) {
        const Row s = some_row(rng, round);
        const Ids text = random_ids(rng, rng.below(12), s.size());
        const float theta = static_cast<float>(std::exp(rng.normal()));
        Row expected = s;
        plain_repetition(expected, text, static_cast<double>(theta));
        check(s, text, theta, expected, "divide above 0, multiply below, once each");
    }
}
