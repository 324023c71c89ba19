// Exercise 08_1: the repetition guard.
#include "08_1_repetition_guard.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex08_1;

namespace {

using Ids = std::vector<int>;
constexpr std::size_t all = 1000000;

// 100 tokens: 10, 20, 30 over and over at places 50 to 70, everything else different.
Ids looping_text() {
    Ids ids;
    for (int i = 0; i < 100; ++i)
        ids.push_back(i >= 50 && i <= 70 ? 10 * (1 + (i - 50) % 3) : 1000 + i);
    return ids;
}

Ids first(const Ids& ids, std::ptrdiff_t n) { return {ids.begin(), ids.begin() + n}; }

// The definition, word by word.
std::size_t longest_by_definition(const Ids& ids) {
    for (std::size_t length = ids.size(); length-- > 1;) {
        std::set<Ids> seen;
        for (auto at = ids.begin(); at + static_cast<std::ptrdiff_t>(length) <= ids.end(); ++at)
            if (!seen.emplace(at, at + static_cast<std::ptrdiff_t>(length)).second) return length;
    }
    return 0;
}

}  // namespace

TEST_CASE("1 2 1 2: both twice, the pair twice, a passage of two", "[ex08_1]") {
    THINK("count what comes more than once; the passages may overlap");
    INFO("r = check(Ids{1, 2, 1, 2}, all)");
    const Repetition r = check(Ids{1, 2, 1, 2}, all);
    CHECK(r.tokens == std::map<int, int>{{1, 2}, {2, 2}});
    CHECK(r.bigrams == std::map<std::pair<int, int>, int>{{{1, 2}, 2}});
    CHECK(r.longest == 2);
    CHECK_NEAR(r.severity, (2. / 3 + 1. / 2 + 2. / 3) / 3, 1e-12);
    CHECK(check(Ids{1, 2, 3, 1, 2, 3}, all).longest == 3);
}

TEST_CASE("a loop of three words in a text of a hundred", "[ex08_1]") {
    INFO("100 tokens, all different but 10 20 30 10 20 30 … at 50 to 70");
    const Repetition r = check(looping_text(), all);
    CHECK(r.tokens == std::map<int, int>{{10, 7}, {20, 7}, {30, 7}});
    CHECK(r.bigrams ==
          std::map<std::pair<int, int>, int>{{{10, 20}, 7}, {{20, 30}, 7}, {{30, 10}, 6}});
    INFO("think about: the two places may overlap; without overlap it would be 9");
    CHECK(r.longest == 18);
    CHECK_NEAR(r.severity, .179035, 1e-6);
    CHECK_NEAR(adaptive_penalty(r.severity), 1.089518, 1e-6);
}

TEST_CASE("the same loop, seen when it has just happened", "[ex08_1]") {
    INFO("71 tokens, all different but 10 20 30 10 20 30 … from 50 on");
    const Ids ids = first(looping_text(), 71);
    CHECK_NEAR(check(ids, all).severity, .253554, 1e-6);
    CHECK_NEAR(adaptive_penalty(check(ids, all).severity), 1.126777, 1e-6);
    INFO("think about: a window of 32 sees little else than the loop");
    CHECK_NEAR(check(ids, 32).severity, .575986, 1e-6);
    CHECK_NEAR(adaptive_penalty(check(ids, 32).severity), 1.287993, 1e-6);
}

TEST_CASE("a window that has moved on does not see it any more", "[ex08_1]") {
    THINK("only the last N tokens count");
    INFO("100 tokens, 10 20 30 10 20 30 … at 50 to 70; of the last 32 all are different");
    const Repetition r = check(looping_text(), 32);
    CHECK(r.severity == 0);
    CHECK(r.tokens.empty());
    CHECK(adaptive_penalty(r.severity) == 1);
}

TEST_CASE("the extremes: nothing, one token, two, all different, all equal", "[ex08_1]") {
    for (const Ids& ids : {Ids{}, Ids{5}, Ids{5, 6}, Ids{4, 3, 2, 1}}) {
        INPUT(ids);
        CHECK(check(ids, all).severity == 0);
        CHECK(check(ids, all).longest == 0);
        CHECK(check(ids, all).tokens.empty());
        CHECK(check(ids, all).bigrams.empty());
    }
    CHECK(check(looping_text(), 0).severity == 0);
    INFO("r = check(Ids(100, 8), all): a hundred equal tokens");
    const Repetition r = check(Ids(100, 8), all);
    CHECK(r.severity == 1);
    CHECK(r.longest == 99);
    CHECK(adaptive_penalty(r.severity) == 1.5);
    INFO("think about: two tokens have one pair, which cannot repeat, and n - 2 is 0");
    CHECK_NEAR(check(Ids{5, 5}, all).severity, 2. / 3, 1e-12);
}

TEST_CASE("any text: the definitions, and a severity from 0 to 1", "[ex08_1]") {
    THINK("the three terms are in the task; what is divided by 0 counts as 0");
    Rng rng(81);
    for (int round = 0; round < 200; ++round) {
        const std::size_t n = rng.below(25);
        const Ids ids = random_ids(rng, n, 1 + rng.below(5));
        INPUT(ids);
        const Repetition r = check(ids, all);
        CHECK(r.longest == longest_by_definition(ids));
        for (const auto& [id, times] : r.tokens) {
            INFO("token " << id);
            CHECK(times == std::count(ids.begin(), ids.end(), id));
            CHECK(times > 1);
        }
        CHECK(r.severity >= 0);
        CHECK(r.severity <= 1);
        const Ids last(ids.end() - static_cast<std::ptrdiff_t>(std::min<std::size_t>(10, n)),
                       ids.end());
        const Repetition windowed = check(ids, 10), cut = check(last, all);
        CHECK(windowed.severity == cut.severity);
    }
}
