// Exercise 27_1: a cache whose keys forget what stands before.
#include "27_1_find_the_bug.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex27_1;

namespace {

// Can page p of a be used for b?
bool same_beginning(const Text& a, const Text& b, std::size_t page) {
    const auto end = static_cast<std::ptrdiff_t>((page + 1) * page_tokens);
    return std::equal(a.begin(), a.begin() + end, b.begin(), b.begin() + end);
}

}  // namespace

TEST_CASE("the witness takes a page that is wrong", "[ex27_1]") {
    THINK("the same page after another beginning");
    const auto [first, second] = witness();
    INPUT(first, second);
    EXPECT(first.size() == 8 && second.size() == 8, "two texts of 8 tokens", first.size());
    bool wrong = false;
    for (std::size_t a = 0; a < 2; ++a)
        for (std::size_t b = 0; b < 2; ++b)
            if (key_by_content(first, a) == key_by_content(second, b))
                wrong = wrong || a != b || !same_beginning(first, second, a);
    EXPECT(wrong, "a page of the second text that is taken from the first and is wrong", wrong);
}

TEST_CASE("the key is the same where the beginning is, and only there", "[ex27_1]") {
    THINK("everything before a page decides what it holds");
    Rng rng(7);
    for (int round = 0; round < 500; ++round) {
        const Text a = random_ids(rng, 12, 2);
        Text b = random_ids(rng, 12, 2);
        if (rng.below(2) == 0) std::copy_n(a.begin(), 4 * rng.below(3), b.begin());
        INPUT(a, b);
        for (std::size_t p = 0; p < 3; ++p)
            for (std::size_t q = 0; q < 3; ++q) {
                const bool same = key(a, p) == key(b, q),
                           expected = p == q && same_beginning(a, b, p);
                CHECK(same == expected);
            }
    }
}

TEST_CASE("what comes later does not matter", "[ex27_1]") {
    THINK("a page that others can use must be found by them");
    const Text a = {1, 2, 3, 4, 5, 6, 7, 8}, b = {1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13};
    CHECK(key(a, 0) == key(b, 0));
    CHECK(key(a, 1) != key(b, 1));
}
