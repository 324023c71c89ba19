#include "tests/catch.hpp"

#include "chapters/02_greedy/greedy.hpp"

using namespace tbt;

TEST_CASE("argmax takes the greatest logit and of equal ones the lower id") {
    REQUIRE(argmax(std::vector<float>{1, 3, 2}) == 1);
    REQUIRE(argmax(std::vector<float>{2, 5, 5, 5}) == 1);
    REQUIRE(argmax(std::vector<float>{-7}) == 0);
    REQUIRE(argmax(std::vector<float>{-0.0f, 0.0f}) == 0);
    REQUIRE(argmax(std::vector<float>{-INFINITY, -1e30f, -INFINITY}) == 1);
}

TEST_CASE("argmax refuses rows without a greatest logit") {
    REQUIRE_THROWS_AS(argmax(std::vector<float>{}), Error);
    REQUIRE_THROWS_WITH(argmax(std::vector<float>(3, -INFINITY)), Catch::Contains("masked"));
    REQUIRE_THROWS_WITH(argmax(std::vector<float>{1, NAN, 2}), Catch::Contains("token 1 is NaN"));
}

TEST_CASE("a loop is the shortest passage that the text ends with over and over") {
    const auto loop = [](std::vector<int> ids) { return find_loop(ids); };
    REQUIRE_FALSE(loop({}));
    REQUIRE_FALSE(loop({1, 2, 3, 4}));
    REQUIRE_FALSE(loop({1, 2, 2}));
    REQUIRE_FALSE(loop({1, 2, 1, 2, 3}));

    const Loop three = loop({9, 9, 1, 2, 3, 1, 2, 3, 1, 2, 3});
    REQUIRE((three.period == 3 && three.start == 2 && three.repeats == 3));
    // A half-finished round at the end belongs to the loop: 2 3 1 2 3 1 2 is the passage "2 3 1"
    // two and a third times.
    const Loop cut = loop({7, 2, 3, 1, 2, 3, 1, 2});
    REQUIRE((cut.period == 3 && cut.start == 1 && cut.repeats == 2));
    const Loop same = loop({4, 5, 5, 5, 5});
    REQUIRE((same.period == 1 && same.start == 1 && same.repeats == 4));
    const Loop pair = loop({1, 2, 1, 2});
    REQUIRE((pair.period == 2 && pair.repeats == 2));
}
