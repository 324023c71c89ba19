// Exercise 02_00: which of two tokens comes first, and whether a text goes round in a circle.
#include "02_00_order.hpp"
#include "tests/exercises/rows.hpp"

using namespace tbt;
using namespace tbt::ex02_00;

namespace {

const Checker check_order("comes_before(s, a, b)", ex02_00::comes_before);
const Checker check_stuck("stuck(ids, n)", ex02_00::stuck);

}  // namespace

TEST_CASE("the greater logit comes first", "[ex02_00]") {
    check_order({1, 3, 0, 3}, 1, 0, true, "3 is greater than 1");
    check_order({1, 3, 0, 3}, 0, 1, false, "1 is not greater than 3, although its id is lower");
    check_order({1, 3, 0, 3}, 3, 0, true, "the greater logit, whatever the ids are");
    check_order({-2, -1}, 1, 0, true, "-1 is greater than -2");
    check_order({.1f, .2f}, 1, 0, true, "logits are no whole numbers");
}

TEST_CASE("of equal logits the lower id, and no token before itself", "[ex02_00]") {
    check_order({1, 3, 0, 3}, 1, 3, true, "equal logits: 1 is the lower id");
    check_order({1, 3, 0, 3}, 3, 1, false, "equal logits: 1 is the lower id");
    check_order({1, 3, 0, 3}, 2, 2, false, "no token comes before itself");
}

TEST_CASE("a text that ends in the same tokens twice", "[ex02_00]") {
    check_stuck({7, 1, 2, 3, 1, 2, 3}, 3, true, "1 2 3 and 1 2 3");
    check_stuck({7, 1, 2, 3, 1, 2, 3}, 2, false, "3 1 and 2 3 differ");
    check_stuck({7, 1, 2, 3, 1, 2, 3}, 1, false, "2 and 3 differ");
    check_stuck({1, 2, 1, 2}, 2, true, "twice is enough, and all of the text may be it");
    check_stuck({5, 5}, 1, true, "the same token twice");
    check_stuck({1, 2, 3, 1, 2, 3, 9}, 3, false, "the end counts, not the beginning");
    check_stuck({1, 2, 3, 1, 2, 4}, 3, false, "all n tokens, the last too");
    check_stuck({1, 2, 3, 4, 2, 3}, 3, false, "all n tokens, the first too");
    check_stuck({1, 2, 3, 9, 1, 2, 3}, 3, false, "one directly after the other");
}

TEST_CASE("too few tokens are never stuck", "[ex02_00]") {
    check_stuck({1, 2, 1}, 2, false, "three tokens are not twice two");
    check_stuck({1}, 1, false, "one token is there once");
    check_stuck({}, 1, false, "no tokens");
    check_stuck({1, 1, 1}, 5, false, "fewer than 2n");
}

TEST_CASE("any tokens", "[ex02_00]") {
    Rng rng(200);
    for (int round = 0; round < 500; ++round) {
        const std::vector<float> s = some_row(rng, round);
        const std::size_t a = rng.below(s.size()), b = rng.below(s.size());
        const std::pair<float, std::size_t> first{-s[a], a}, second{-s[b], b};
        check_order(s, a, b, first < second, "the greater logit, then the lower id");
        std::vector<int> ids;
        for (std::size_t n = rng.below(9); n > 0; --n) ids.push_back(int(rng.below(2)));
        const std::size_t n = 1 + rng.below(3);
        bool twice = ids.size() >= 2 * n;
        for (std::size_t i = 0; twice && i < n; ++i)
            twice = ids[ids.size() - 1 - i] == ids[ids.size() - 1 - i - n];
        check_stuck(ids, n, twice, "the last n tokens, and the n before them");
    }
}
