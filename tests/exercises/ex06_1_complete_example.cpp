// Exercise 06_1: the complete example.
#include "tests/exercises/exercise_check.hpp"

#include <cmath>

#include "06_1_complete_example.hpp"
#include "chapters/06_combining/chain.hpp"
#include "lib/kernels/rng.hpp"

using namespace tbt;
using namespace tbt::ex06_1;

namespace {

const std::vector<float> words = {10, 8, 5, 2, 1, .5f};  // cat dog car house tree book

// The values are printed with six places.
void check_numbers(const std::vector<double>& got, const std::vector<double>& expected) {
    REQUIRE(got.size() == expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
        INFO("place " << i << ": expected " << expected[i] << ", got " << got[i]);
        CHECK(std::abs(got[i] - expected[i]) <= 1e-6);
    }
}

}  // namespace

TEST_CASE("cat dog car house tree book, step by step", "[ex06_1]") {
    const Example e = complete_example(words, 1, 3, .9, .75);
    CHECK(e.kept == std::vector<int>{0, 1, 2});
    check_numbers(e.exponentials, {22026.465795, 2980.957987, 148.413159});
    CHECK(std::abs(e.sum - 25155.836941) <= 2e-6);
    check_numbers(e.after_top_k, {.875601, .118500, .005900});
    check_numbers(e.cumulative, {.875601, .994100, 1});
    CHECK(e.nucleus == 2);
    check_numbers(e.final_law, {.880797, .119203});
    CHECK(e.id == 0);
}

TEST_CASE("the pointer decides between cat and dog at .880797", "[ex06_1]") {
    CHECK(complete_example(words, 1, 3, .9, .8807).id == 0);
    CHECK(complete_example(words, 1, 3, .9, .8809).id == 1);
    CHECK(complete_example(words, 1, 3, .9, 0).id == 0);
    CHECK(complete_example(words, 1, 3, .9, std::nextafter(1, 0)).id == 1);
}

TEST_CASE("temperature comes before the cuts", "[ex06_1]") {
    INFO("think about: a hot wheel needs more words to reach p");
    check_numbers(complete_example(words, .5, 3, .9, 0).final_law, {1});
    check_numbers(complete_example(words, 1.5, 3, .9, 0).final_law, {.791391, .208609});
    check_numbers(complete_example(words, 2, 3, .9, 0).final_law, {.731059, .268941});
}

TEST_CASE("the words lie on the wheel in the order of their ids", "[ex06_1]") {
    const std::vector<float> s = {0, 1};  // laws .268941 .731059: the first notches belong to id 0
    CHECK(complete_example(s, 1, 2, 1, .2).id == 0);
    CHECK(complete_example(s, 1, 2, 1, .3).id == 1);
}

TEST_CASE("of equal logits the lower ids stay; one token always does", "[ex06_1]") {
    CHECK(complete_example(std::vector<float>{1, 1, 1, 1}, 1, 2, 1, .9).kept ==
          std::vector<int>{0, 1});
    CHECK(complete_example(std::vector<float>{1, 1, 1, 1}, 1, 4, .5, 0).nucleus == 2);
    CHECK(complete_example(words, 1, 6, 0, .99).nucleus == 1);
    CHECK(complete_example(words, 1, 99, 1, .5).kept.size() == 6);
    CHECK(complete_example(std::vector<float>{-3}, 1, 1, .5, .5).id == 0);
}

TEST_CASE("what makes no sense is refused", "[ex06_1]") {
    CHECK_THROWS_AS(complete_example(words, 0, 3, .9, .5), UsageError);
    CHECK_THROWS_AS(complete_example(words, -1, 3, .9, .5), UsageError);
    CHECK_THROWS_AS(complete_example(words, std::nan(""), 3, .9, .5), UsageError);
    CHECK_THROWS_AS(complete_example(words, 1, 0, .9, .5), UsageError);
    CHECK_THROWS_AS(complete_example(words, 1, 3, 1.1, .5), UsageError);
    CHECK_THROWS_AS(complete_example(words, 1, 3, -.1, .5), UsageError);
    CHECK_THROWS_AS(complete_example(words, 1, 3, .9, 1), UsageError);
    CHECK_THROWS_AS(complete_example(words, 1, 3, .9, -.1), UsageError);
}

TEST_CASE("the same token as this chapter's chain, for any row", "[ex06_1]") {
    Rng rng(61);
    Candidates scratch;
    for (int round = 0; round < 500; ++round) {
        std::vector<float> s(2 + rng.below(20));
        for (float& x : s) x = static_cast<float>(2 * rng.normal());
        SamplingOptions o;
        o.temperature = .3 + 2 * rng.uniform(), o.top_k = 1 + static_cast<int>(rng.below(10)),
        o.top_p = rng.uniform();
        const double u = rng.uniform();
        const int expected =
            in_order(Dialect::ours, cut_steps(o, Dialect::ours)).pick(s, {}, u, scratch);
        INFO("round " << round << ": V = " << s.size() << ", T = " << o.temperature
                      << ", k = " << o.top_k << ", p = " << o.top_p << ", u = " << u);
        REQUIRE(complete_example(s, o.temperature, o.top_k, o.top_p, u).id == expected);
    }
}

TEST_CASE("a hundred thousand draws give the cat 88,080 times, give or take 410", "[ex06_1]") {
    Rng rng(4);
    int cats = 0;
    for (int i = 0; i < 100000; ++i)
        cats += complete_example(words, 1, 3, .9, rng.uniform()).id == 0;
    CHECK(std::abs(cats - 88080) <= 410);  // four standard deviations of 102.5
}
