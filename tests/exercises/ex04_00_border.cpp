// Exercise 04_00: the border of top-k.
#include "04_00_border.hpp"
#include "tests/exercises/rows.hpp"

using namespace tbt;
using namespace tbt::ex04_00;

namespace {

const Checker check_kth("kth_largest(s, k)", ex04_00::kth_largest);
const Checker check_at_least("at_least(s, border)", ex04_00::at_least);

}  // namespace

TEST_CASE("the largest, the second, the third", "[ex04_00]") {
    check_kth({1, 4, 2}, 1, 4, "k = 1 is the largest");
    check_kth({1, 4, 2}, 2, 2, "the second largest");
    check_kth({1, 4, 2}, 3, 1, "k = V is the smallest");
    check_kth({-5, -1, -3}, 1, -1, "-1 is the largest here");
    check_kth({7}, 1, 7, "a single logit");
    check_kth({.25f, .5f, .75f}, 2, .5f, "logits are no whole numbers");
}

TEST_CASE("equal logits count as often as they are there", "[ex04_00]") {
    check_kth({1, 4, 2, 4, 2}, 2, 4, "4 is there twice");
    check_kth({1, 4, 2, 4, 2}, 3, 2, "4, 4, 2");
    check_kth({1, 4, 2, 4, 2}, 5, 1, "4, 4, 2, 2, 1");
    check_kth({3, 3, 3}, 3, 3, "all of them are 3");
}

TEST_CASE("how many are at least the border", "[ex04_00]") {
    check_at_least({1, 4, 2, 4, 2}, 2, 4, "a logit that equals the border is at least it");
    check_at_least({1, 4, 2, 4, 2}, 4, 2, "both 4s");
    check_at_least({1, 4, 2, 4, 2}, 3, 2, "the border need not be one of them");
    check_at_least({1, 4, 2, 4, 2}, 5, 0, "none");
    check_at_least({1, 4, 2, 4, 2}, -1, 5, "all");
    check_at_least({-INFINITY, 0}, 0, 1, "a masked token has −∞");
    check_at_least({}, 0, 0, "no logits");
    check_at_least({1.5f, 1.25f}, 1.5f, 1, "logits are no whole numbers");
}

TEST_CASE("any row: at least k are at least the k-th largest, and fewer are above it",
          "[ex04_00]") {
    Rng rng(400);
    for (int round = 0; round < 400; ++round) {
        const std::vector<float> s = some_row(rng, round);
        const std::size_t k = 1 + rng.below(s.size());
        // The logit of which fewer than k are greater, and k or more at least as great.
        for (const float x : s) {
            std::size_t above = 0, from = 0;
            for (const float y : s) above += y > x, from += y >= x;
            check_at_least(s, x, int(from), "those that equal the border count");
            if (above < k && from >= k) check_kth(s, k, x, "fewer than k are greater");
        }
    }
}
