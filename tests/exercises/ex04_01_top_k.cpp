// Exercise 04_01: top-k.
#include "04_01_top_k.hpp"
#include "chapters/04_top_k/plain_top_k.hpp"
#include "tests/exercises/rows.hpp"

using namespace tbt;
using namespace tbt::ex04_01;

namespace {

using Row = std::vector<float>;

const Checker check("keep_k(s, k)", ex04_01::keep_k);

}  // namespace

TEST_CASE("three of five", "[ex04_01]") {
    check({1, 4, 2, 4, 2}, 3, {gone, 4, 2, 4, gone}, "of equal logits the lower ids");
    check({5, 3, 2, 1}, 1, {5, gone, gone, gone}, "k = 1 leaves the most probable one");
}

TEST_CASE("exactly k stay", "[ex04_01]") {
    check({1, 1, 1, 1}, 2, {1, 1, gone, gone}, "of equal logits the lower ids");
    check({0, 1, 0, 1, 0}, 3, {0, 1, gone, 1, gone}, "of equal logits the lower ids");
}

TEST_CASE("k = 0 and a large k keep all", "[ex04_01]") {
    check({2, gone, -1}, 0, {2, gone, -1}, "0 turns the cut off");
    check({2, gone, -1}, 3, {2, gone, -1}, "k = V");
    check({2, gone, -1}, 40, {2, gone, -1}, "k above V");
    check({-7}, 1, {-7}, "one token alone");
    check({-7}, 2000000000, {-7}, "k above V");
}

TEST_CASE("a masked token stays masked", "[ex04_01]") {
    check({gone, 3, gone, 1, 5}, 4, {gone, 3, gone, 1, 5}, "three are left, fewer than k");
    check({gone, -3, gone, -1, -5}, 2, {gone, -3, gone, -1, gone}, "−∞ is below every number");
}

TEST_CASE("a k below 0 is refused", "[ex04_01]") {
    CHECK_THROWS_AS(keep_k({1, 2}, -1), UsageError);
    CHECK_THROWS_AS(keep_k({1, 2}, -2000000000), UsageError);
}

TEST_CASE("the row that was given is not changed, and calls know nothing of each other",
          "[ex04_01]") {
    const Row s{3, 1, 2};
    const Row first = keep_k(s, 2);
    keep_k({9, 9, 9, 9}, 1);
    check(s, 2, first, "the same question, the same answer");
    check(s, 2, {3, gone, 2}, "the same question, the same answer");
}

TEST_CASE("random rows: the same as the chapter's top-k", "[ex04_01]") {
    Rng rng(41);
    for (int round = 0; round < 3000; ++round) {
        const Row s = some_row(rng, round);
        const int k = static_cast<int>(rng.below(s.size() + 2));
        check(s, k, tbt::top_k(s, k), "the greater logit first, of equal ones the lower id");
    }
}

TEST_CASE("forty equal logits: an unstable sort shuffles them", "[ex04_01]") {
    const Row s(40, 1.5f);
    check(s, 20, tbt::top_k(s, 20), "of equal logits the lower ids");
    Row halves(40, 1.5f);
    for (std::size_t i = 0; i < 40; i += 2) halves[i] = 2.5f;
    check(halves, 30, tbt::top_k(halves, 30), "of equal logits the lower ids");
}
