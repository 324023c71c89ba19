// Exercise 25_02: rotary positions.
#include <numeric>

#include "25_02_rotary.hpp"
#include "chapters/25_todays_models/plain_llama_layers.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using ex25_02::frequency;
using ex25_02::rotated;

namespace {

double dot(const ex25_02::Row& a, const ex25_02::Row& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace

TEST_CASE("frequencies by hand", "[ex25_02]") {
    THINK("the first is 1, whatever θ");
    CHECK_NEAR(frequency(0, 4, 10000), 1, 1e-12);
    CHECK_NEAR(frequency(1, 4, 10000), .01, 1e-12);
    CHECK_NEAR(frequency(3, 8, 10000), .001, 1e-12);
    CHECK_NEAR(frequency(1, 2, 81), 1 / 81.0, 1e-12);
}

TEST_CASE("arrows by hand", "[ex25_02]") {
    THINK("components 0 and 2 are a pair, 1 and 3 another");
    const ex25_02::Row expected = {std::cos(1), std::cos(.01), std::sin(1), std::sin(.01)};
    CHECK_NEAR(rotated({1, 1, 0, 0}, 1, 10000), expected, 1e-12);
    const ex25_02::Row x = {0, 0, 1, 0}, there = rotated(x, 2, 10000);
    INPUT(x, there);
    CHECK_NEAR(there[0], -std::sin(2), 1e-12);
    CHECK_NEAR(there[2], std::cos(2), 1e-12);
}

TEST_CASE("position 0 turns nothing, and no turn changes a length", "[ex25_02]") {
    THINK("an arrow keeps its length");
    const ex25_02::Row x = {3, -1, 4, 1, -5, 9};
    CHECK_NEAR(rotated(x, 0, 100), x, 1e-12);
    for (const int position : {1, 7, 1000}) {
        const ex25_02::Row y = rotated(x, position, 100);
        INPUT(position, y);
        CHECK_NEAR(dot(y, y), dot(x, x), 1e-9);
    }
}

TEST_CASE("only the distance counts", "[ex25_02]") {
    THINK("both arrows are turned the same way round");
    Rng rng(2);
    for (int round = 0; round < 100; ++round) {
        const ex25_02::Row q = normal_row(rng, 8), k = normal_row(rng, 8);
        INPUT(q, k);
        CHECK_NEAR(dot(rotated(q, 105, 500), rotated(k, 103, 500)),
                   dot(rotated(q, 5, 500), rotated(k, 3, 500)), 1e-9);
    }
}

TEST_CASE("rotations against the chapter's, on random rows", "[ex25_02]") {
    THINK("pairs i and i + D/2, angles position · θ^(−2i/D)");
    Rng rng(3);
    for (int round = 0; round < 300; ++round) {
        const std::size_t D = 2 * (1 + static_cast<std::size_t>(round % 16));
        const int position = static_cast<int>(rng.below(300));
        tbt::Row x = normal_row<float>(rng, D);
        const ex25_02::Row before(x.begin(), x.end());
        tbt::rotate(x, 0, D, position, 10000);
        INPUT(before, position);
        CHECK_NEAR(rotated(before, position, 10000), ex25_02::Row(x.begin(), x.end()), 1e-5);
    }
}
