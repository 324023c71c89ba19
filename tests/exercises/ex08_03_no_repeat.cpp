// Exercise 08_03: no n-gram twice.
#include "tests/exercises/exercise_check.hpp"

#include "08_03_no_repeat.hpp"
#include "chapters/08_penalties/plain_penalties.hpp"
#include "tests/exercises/rows.hpp"

using namespace tbt;
using namespace tbt::ex08_03;

namespace {

using Ids = std::vector<int>;

void check(const Ids& text, int n, const Ids& expected, const std::string& think) {
    const auto banned_ids = [&] {
        const std::set<int> banned_set = banned_now(text, n);
        return Ids(banned_set.begin(), banned_set.end());
    };
    same(banned_ids, expected, "text " + in_words(text) + ", n = " + std::to_string(n), think);
}

}  // namespace

TEST_CASE("what followed 1 2 may not follow again", "[ex08_03]") {
    THINK("what followed 1 2 may not follow again");
    check({1, 2, 3, 1, 2}, 3, {3}, "1 2 occurred before");
    check({1, 2, 3, 4, 1, 2, 5, 1, 2}, 3, {3, 5}, "1 2 occurred before, twice");
    check({1, 2, 3, 2}, 3, {}, "3 2 did not occur before");
}

TEST_CASE("a short text bans none", "[ex08_03]") {
    THINK("a short text bans none");
    check({}, 3, {}, "no text");
    check({1, 2}, 3, {}, "two tokens hold no three");
    check({1, 1}, 3, {}, "two tokens hold no three");
    check({}, 1, {}, "no text");
    check({1, 2, 3}, 1000000, {}, "n may be larger than any text");
}

TEST_CASE("the places may overlap", "[ex08_03]") {
    THINK("the places may overlap");
    check({7, 7, 7}, 3, {7}, "7 7 occurs at place 0 and at place 1");
    check({1, 7, 7, 7}, 3, {7}, "7 7 occurs at place 1 and at place 2");
    check({7, 7}, 2, {7}, "7 occurs at place 0 and at place 1");
    check({1, 2, 1, 2, 1}, 4, {2}, "1 2 1 occurs at place 0 and at place 2");
}

TEST_CASE("the first and the last place count", "[ex08_03]") {
    THINK("the first and the last place count");
    check({5, 6, 5}, 2, {6}, "place 0");
    check({1, 5, 5}, 2, {5}, "the last place is the one before the end");
}

TEST_CASE("n = 1 bans every token of the text, n = 0 none", "[ex08_03]") {
    THINK("n = 1 bans every token of the text, n = 0 none");
    check({4, 2, 4, 9}, 1, {2, 4, 9}, "each occurred before");
    check({4, 2, 4, 9}, 0, {}, "off");
    check({}, 0, {}, "off");
    CHECK_THROWS_AS(banned_now({1, 2}, -1), UsageError);
    CHECK_THROWS_AS(banned_now({}, -1), UsageError);
}

TEST_CASE("random texts: the same as the chapter's, and as the definition", "[ex08_03]") {
    THINK("random texts: the same as the chapter's, and as the definition");
    Rng rng(83);
    for (int round = 0; round < 4000; ++round) {
        const int V = 1 + static_cast<int>(rng.below(4)), n = static_cast<int>(rng.below(6));
        Ids text(rng.below(2 + static_cast<std::uint64_t>(round) / 100));
        for (int& id : text) id = static_cast<int>(rng.below(static_cast<std::uint64_t>(V)));
        std::vector<float> s(static_cast<std::size_t>(V));
        plain_no_repeat_ngram(s, text, n);
        Ids expected;
        for (int id = 0; id < V; ++id)
            if (s[static_cast<std::size_t>(id)] == banned) expected.push_back(id);
        check(text, n, expected, "what followed the last n − 1 tokens before");
    }
}
