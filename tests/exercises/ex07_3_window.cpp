// Exercise 07_3: attention sinks and a window.
#include "07_3_window.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex07_3;

namespace {

using Ids = std::vector<int>;

// By the sentence itself: among the first S or among the last W up to t.
Ids by_definition(const Window& w, int t) {
    Ids seen;
    for (int j = 0; j <= t; ++j)
        if (j < w.sinks || j > t - w.window) seen.push_back(j);
    return seen;
}

}  // namespace

TEST_CASE("the paper's example: 4 sinks, a window of 4, token 9", "[ex07_3]") {
    THINK("sinks 0 1 2 3, then the last 4 of the others; places are counted inside the cache");
    const Window w{4, 4};
    INFO("w = {4, 4}: 4 sinks, a window of 4");
    CHECK(seen_by(w, 9) == Ids{0, 1, 2, 3, 6, 7, 8, 9});
    const Ids seen{0, 1, 2, 3, 6, 7, 8, 9};
    for (int place = 0; place < 8; ++place) {
        INFO("token " << seen[static_cast<std::size_t>(place)] << ", place " << place);
        CHECK(place_of(w, seen[static_cast<std::size_t>(place)], 9) == place);
    }
}

TEST_CASE("at first everything is seen, in its place", "[ex07_3]") {
    const Window w{4, 4};
    INFO("w = {4, 4}: 4 sinks, a window of 4");
    CHECK(seen_by(w, 0) == Ids{0});
    CHECK(seen_by(w, 2) == Ids{0, 1, 2});
    INFO("think about: a sink inside the window is still one token");
    CHECK(seen_by(w, 5) == Ids{0, 1, 2, 3, 4, 5});
    CHECK(seen_by(w, 7) == Ids{0, 1, 2, 3, 4, 5, 6, 7});
    CHECK(seen_by(w, 8) == Ids{0, 1, 2, 3, 5, 6, 7, 8});
    for (int j = 0; j <= 7; ++j) CHECK(place_of(w, j, 7) == j);
}

TEST_CASE("no sinks: a plain window; a window of one: the sinks and itself", "[ex07_3]") {
    THINK("the newest token is always seen");
    CHECK(seen_by({0, 3}, 10) == Ids{8, 9, 10});
    CHECK(place_of({0, 3}, 8, 10) == 0);
    CHECK(slot_of({0, 3}, 10) == 1);
    CHECK(seen_by({2, 1}, 10) == Ids{0, 1, 10});
    CHECK(slot_of({2, 1}, 10) == 2);
}

TEST_CASE("what is not seen has no place", "[ex07_3]") {
    const Window w{4, 4};
    INFO("w = {4, 4}: 4 sinks, a window of 4");
    CHECK_THROWS_AS(place_of(w, 4, 9), Error);
    CHECK_THROWS_AS(place_of(w, 5, 9), Error);
    INFO("think about: the future is not seen either");
    CHECK_THROWS_AS(place_of(w, 10, 9), Error);
    CHECK_THROWS_AS(place_of(w, -1, 9), Error);
}

TEST_CASE(
    "any window: the sentence, the places, and a memory in which nobody is overwritten too early",
    "[ex07_3]") {
    THINK("a place may be taken again only when its token is no longer seen");
    for (const Window& w : {Window{1, 2}, Window{2, 3}, Window{0, 5}, Window{4, 1}, Window{3, 7}}) {
        Ids memory(static_cast<std::size_t>(w.sinks + w.window), -1);
        for (int t = 0; t < 60; ++t) {
            INFO(w.sinks << " sinks, a window of " << w.window << ", token " << t);
            const Ids expected = by_definition(w, t);
            REQUIRE(seen_by(w, t) == expected);
            const int slot = slot_of(w, t);
            EXPECT(slot >= 0 && slot < w.sinks + w.window, "a slot from 0 to S + W − 1", slot);
            memory[static_cast<std::size_t>(slot)] = t;
            int place = 0;
            for (const int j : expected) {
                INFO("token " << j << " must lie in its slot, " << slot_of(w, j));
                REQUIRE(memory[static_cast<std::size_t>(slot_of(w, j))] == j);
                REQUIRE(place_of(w, j, t) == place++);
            }
        }
    }
}

TEST_CASE("the keys that are met, counted", "[ex07_3]") {
    THINK("min(t + 1, sinks + window), added up");
    for (const Window& w : {Window{4, 4}, Window{0, 1}, Window{1, 2}, Window{3, 7}}) {
        std::int64_t sum = 0;
        for (int n = 0; n < 40; ++n) {
            INFO(w.sinks << " sinks, a window of " << w.window << ", " << n << " tokens");
            REQUIRE(dot_products(w, n) == sum);
            sum += static_cast<std::int64_t>(by_definition(w, n).size());
        }
    }
}

TEST_CASE("four million tokens with 4 sinks and a window of 2044", "[ex07_3]") {
    INFO("think about: 32 bits are not enough, and a loop is not needed");
    CHECK(dot_products({4, 2044}, 4'000'000) == 8'189'903'872LL);
    CHECK(slot_of({4, 2044}, 3'999'999) == 4 + 3'999'995 % 2044);
    CHECK(place_of({4, 2044}, 3'999'999, 3'999'999) == 2047);
}

TEST_CASE("a billion tokens: no loop has the time", "[ex07_3]") {
    constexpr std::int64_t n = 1'000'000'000;
    for (int i = 0; i < 100; ++i) {
        INFO(
            "think about: how long is the part that still grows, and what is every step after it?");
        REQUIRE(dot_products({4, 2044}, n + i) == 2048 * (n + i) - 2'096'128);  // 2047·2048/2
    }
    INFO("4 sinks and a window of 1,999,999,990, for 1,999,999,994 tokens and some more");
    const Window wide{4, 1'999'999'990};
    const std::int64_t all = 1'999'999'994;
    CHECK(dot_products(wide, all) == all * (all + 1) / 2);
    CHECK(dot_products(wide, all + 2) == all * (all + 1) / 2 + 2 * all);
    CHECK(dot_products(wide, 3) == 6);
}

TEST_CASE("places and slots millions of tokens into the text", "[ex07_3]") {
    THINK("the sinks, then the window: how many tokens lie between them and are seen no more?");
    const Window w{4, 2044};
    // Slowly is right too: a place may be looked for in seen_by(t), and that in all tokens up to t.
    for (int t = 4'000'000; t < 4'005'000; t += 999) {
        INFO("4 sinks, a window of 2044, token " << t);
        REQUIRE(slot_of(w, t) == 4 + (t - 4) % 2044);
        REQUIRE(place_of(w, t, t) == 2047);
        REQUIRE(place_of(w, t - 2043, t) == 4);
        REQUIRE(place_of(w, 3, t) == 3);
        CHECK_THROWS_AS(place_of(w, t - 2044, t), Error);
        CHECK_THROWS_AS(place_of(w, 4, t), Error);
    }
}
