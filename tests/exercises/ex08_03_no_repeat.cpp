// Exercise 08_03: no n-gram twice.
#include "08_03_no_repeat.hpp"
#include "chapters/08_penalties/plain_penalties.hpp"
#include "tests/exercises/rows.hpp"

using namespace tbt;
using namespace tbt::ex08_03;

namespace {

using Ids = std::vector<int>;

const Checker check("banned_now(text, n)", ex08_03::banned_now);

}  // namespace

TEST_CASE("what followed 1 2 may not follow again", "[ex08_03]") {
    check({1, 2, 3, 1, 2}, 3, {3}, "1 2 occurred before");
    check({1, 2, 3, 4, 1, 2, 5, 1, 2}, 3, {3, 5}, "1 2 occurred before, twice");
    check({1, 2, 3, 2}, 3, {}, "3 2 did not occur before");
}

TEST_CASE("a short text bans none", "[ex08_03]") {
    check({}, 3, {}, "no text");
    check({1, 2}, 3, {}, "two tokens hold no three");
    check({1, 1}, 3, {}, "two tokens hold no three");
    check({}, 1, {}, "no text");
    check({1, 2, 3}, 1000000, {}, "n may be larger than any text");
}

TEST_CASE("the places may overlap", "[ex08_03]") {
    check({7, 7, 7}, 3, {7}, "7 7 occurs at place 0 and at place 1");
    check({1, 7, 7, 7}, 3, {7}, "7 7 occurs at place 1 and at place 2");
    check({7, 7}, 2, {7}, "7 occurs at place 0 and at place 1");
    check({1, 2, 1, 2, 1}, 4, {2}, "1 2 1 occurs at place 0 and at place 2");
}

TEST_CASE("the first and the last place count", "[ex08_03]") {
    check({5, 6, 5}, 2, {6}, "place 0");
    check({1, 5, 5}, 2, {5}, "the last place is the one before the end");
}

TEST_CASE("n = 1 bans every token of the text, n = 0 none", "[ex08_03]") {
    check({4, 2, 4, 9}, 1, {2, 4, 9}, "each occurred before");
    check({4, 2, 4, 9}, 0, {}, "off");
    check({}, 0, {}, "off");
    CHECK_THROWS_AS(banned_now({1, 2}, -1), UsageError);
    CHECK_THROWS_AS(banned_now({}, -1), UsageError);
}

TEST_CASE("random texts: the same as the chapter's, and as the definition", "[ex08_03]") {
    Rng rng(83);
    for (int round = 0; round < 4000; ++round) {
        const std::size_t V = 1 + rng.below(4);
        const int n = static_cast<int>(rng.below(6));
        const Ids text = random_ids(rng, rng.below(2 + static_cast<std::uint64_t>(round) / 100), V);
        std::vector<float> s(V);
        plain_no_repeat_ngram(s, text, n);
        std::set<int> expected;
        for (std::size_t id = 0; id < V; ++id)
            if (s[id] == banned) expected.insert(static_cast<int>(id));
        check(text, n, expected, "what followed the last n − 1 tokens before");
    }
}
