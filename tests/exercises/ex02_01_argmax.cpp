// Exercise 02_01: argmax.
#include "02_01_argmax.hpp"
#include "chapters/02_greedy/greedy.hpp"
#include "tests/exercises/rows.hpp"

using namespace tbt;
using namespace tbt::ex02_01;

namespace {

constexpr float gone = -INFINITY;

void check(const std::vector<float>& logits, int expected, const std::string& think) {
    INPUT(logits);
    THINK(think);
    CHECK(best_token(logits) == expected);
}

void check_error(const std::vector<float>& logits) {
    INPUT(logits);
    CHECK_THROWS_AS(best_token(logits), Error);
}

}  // namespace

TEST_CASE("the largest of four", "[ex02_01]") {
    check({1, 3, 0, 2}, 1, "the id, not the logit");
    check({5}, 0, "one token alone");
}

TEST_CASE("of equal logits the lowest id", "[ex02_01]") {
    check({1, 3, 0, 3}, 1, "only a greater one takes the place");
    check({2, 2, 2}, 0, "only a greater one takes the place");
}

TEST_CASE("logits may all be negative, or very large", "[ex02_01]") {
    check({-9, -7, -8}, 1, "what do you start from?");
    check({-3e38f, -2e38f}, 1, "what do you start from?");
    check({0.25f, 0.75f, 0.5f}, 1, "logits are not whole numbers");
    std::vector<float> many(50000, -1.0f);
    many[49000] = 2;
    check(many, 49000, "a vocabulary may have 50,000 tokens");
}

TEST_CASE("a masked token is never chosen", "[ex02_01]") {
    check({gone, -3e38f, gone}, 1, "−∞ is below every number");
    check({gone, gone, -5}, 2, "−∞ is below every number");
}

TEST_CASE("nothing to choose is an error", "[ex02_01]") {
    check_error({});
    check_error({gone});
    check_error({gone, gone, gone});
}

TEST_CASE("a broken model is an error, wherever the NaN is", "[ex02_01]") {
    const float nan = std::nanf("");
    check_error({nan});
    check_error({nan, 1, 2});
    check_error({1, nan, 2});
    check_error({9, 1, nan});
    check_error({gone, nan});
}

TEST_CASE("random rows: the same as the chapter's argmax", "[ex02_01]") {
    Rng rng(21);
    for (int round = 0; round < 3000; ++round) {
        const std::vector<float> s = some_row(rng, round);
        check(s, argmax(s), "the greater value first, of equal values the lower id");
    }
}
