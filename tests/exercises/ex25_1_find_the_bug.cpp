// Exercise 25_1: pairs of neighbours against pairs of halves.
#include <numeric>

#include "25_1_find_the_bug.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex25_1;

namespace {

using Row = tbt::ex25_1::Row;  // other exercises of the room have a Row

// What the files were trained with.
Row halves(const Row& x, int position) {
    Row y = x;
    const std::size_t half = x.size() / 2;
    for (std::size_t i = 0; i < half; ++i) {
        const double angle = position * std::pow(10000.0, -2.0 * static_cast<double>(i) /
                                                              static_cast<double>(x.size()));
        y[i] = x[i] * std::cos(angle) - x[i + half] * std::sin(angle);
        y[i + half] = x[i + half] * std::cos(angle) + x[i] * std::sin(angle);
    }
    return y;
}

double dot(const Row& a, const Row& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace

TEST_CASE("the witness shows the bug", "[ex25_1]") {
    THINK("which component does a turn of component 0 reach, in each program?");
    const Witness w = witness();
    INPUT(w.query, w.key);
    REQUIRE(w.query.size() == 4);
    REQUIRE(w.key.size() == 4);
    for (const Row& x : {w.query, w.key})
        for (const double v : x) EXPECT(v >= -2 && v <= 2, "numbers from -2 to 2", v);
    const double right = dot(halves(w.query, 1), w.key),
                 wrong = dot(interleaved(w.query, 1), w.key);
    INFO("with halves the product is " << right << ", with neighbours " << wrong);
    EXPECT(std::abs(right - wrong) > 1, "products that differ by more than 1", right - wrong);
}

TEST_CASE("six components by hand", "[ex25_1]") {
    THINK("pairs of halves are (0, 3), (1, 4), (2, 5)");
    CHECK_NEAR(to_interleaved({0, 1, 2, 3, 4, 5}), (Row{0, 3, 1, 4, 2, 5}), 1e-12);
}

TEST_CASE("reordered, neighbours do what halves did", "[ex25_1]") {
    THINK("partners must lie side by side, in the order of their pairs");
    Rng rng(6);
    for (int round = 0; round < 200; ++round) {
        const Row x = normal_row(rng, 2 * (1 + static_cast<std::size_t>(round % 8)));
        const int position = static_cast<int>(rng.below(100));
        INPUT(x, position);
        CHECK_NEAR(interleaved(to_interleaved(x), position), to_interleaved(halves(x, position)),
                   1e-9);
    }
}
