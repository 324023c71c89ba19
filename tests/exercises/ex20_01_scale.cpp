// Exercise 20_01: a ruler for a row of numbers.
#include "20_01_scale.hpp"
#include "tests/exercises/rows.hpp"

using namespace tbt;
using namespace tbt::ex20_01;

namespace {

using Row = std::vector<double>;

void check_scale(const Row& x, double expected, const char* think) {
    INPUT(x);
    THINK(think);
    CHECK_NEAR(scale_of(x), expected, 1e-15 * expected);  // a rounding or two of one quotient
}

const Checker check_mark("mark_of(v, s)", ex20_01::mark_of);

void check_worst(const Row& x, double expected, const char* think) {
    INPUT(x);
    THINK(think);
    double largest = 0;
    for (const double v : x) largest = std::max(largest, std::abs(v));
    CHECK_NEAR(worst(x), expected, 1e-14 * largest);  // a product and a difference near `largest`
}

}  // namespace

TEST_CASE("the largest number has the last mark", "[ex20_01]") {
    check_scale({127}, 1, "127 / 127");
    check_scale({1, 2, 254, 3}, 2, "254 / 127");
    check_scale({.31, -.82, .05}, .82 / 127,
                "-.82 is the farthest from 0: its sign does not count");
    check_scale({-254, -1}, 2, "all of them are below 0");
    check_scale({254, -127}, 2, "from 0 to the farthest, not from one end to the other");
    check_scale({5, 5, 5}, 5. / 127, "equal numbers are not 0");
    check_scale({1e-300}, 1e-300 / 127, "however small");
}

TEST_CASE("a row of zeros, or of nothing, has the scale 0", "[ex20_01]") {
    check_scale({0, 0}, 0, "0 / 127");
    check_scale({}, 0, "where does the search for the largest begin?");
}

TEST_CASE("the nearest mark", "[ex20_01]") {
    check_mark(3, 1, 3, "on the mark");
    check_mark(2.3, 1, 2, "the mark below is nearer");
    check_mark(2.7, 1, 3, "the mark above is nearer: std::floor and casts go down");
    check_mark(-2.3, 1, -2, "nearest, not lower");
    check_mark(-2.7, 1, -3, "nearest, not towards 0");
    check_mark(7, 2, 4, "from halfway, 3.5, to the even one");
    check_mark(5, 2, 2, "from halfway, 2.5, to the even one: std::round goes to 3");
    check_mark(-5, 2, -2, "from halfway, −2.5, to the even one");
    check_mark(.31, .82 / 127, 48, "the lesson's number");
    check_mark(-.82, .82 / 127, -127, "the first mark: numbers below 0 keep their sign");
    check_mark(.82, .82 / 127, 127, "the last mark");
    check_mark(0, 1, 0, "0 is always a mark");
}

TEST_CASE("where the scale is 0 the mark is 0", "[ex20_01]") {
    check_mark(0, 0, 0, "0 / 0 is no number");
}

TEST_CASE("the worst error: the lesson's three numbers, and a 25 among them", "[ex20_01]") {
    check_worst({.31, -.82, .05}, 8 * .82 / 127 - .05, ".05 is farthest from its mark, 8");
    check_worst({.31, -.82, .05, 25}, 2 * 25. / 127 - .31,
                "the ruler is longer, and so are its steps");
    check_worst({127, 2.25, -3.25, 1.5}, .5, "1.5 lies halfway: no error is more than half a step");
    check_worst({127, -2.4}, .4, "an error below 0 counts as well");
    check_worst({127, 2.4, 7, 8}, .4, "the largest error, not the last one");
    check_worst({254, 3, 10}, 1, "times the scale: a step is 2 here");
}

TEST_CASE("nothing is lost of zeros, of one number, of marks", "[ex20_01]") {
    check_worst({0, 0, 0}, 0, "a row of zeros");
    check_worst({}, 0, "a row of nothing");
    check_worst({3}, 0, "one number is the last mark");
    check_worst({127, 1, -5, 64}, 0, "all are on marks");
}

TEST_CASE("any row: no number is farther than half a step from its mark, none is off the ruler",
          "[ex20_01]") {
    Rng rng(2001);
    for (int round = 0; round < 600; ++round) {
        Row x;
        for (std::size_t n = 1 + rng.below(9); n > 0; --n)
            x.push_back(round % 3 == 0 ? double(rng.below(509)) / 2 - 127 : rng.normal());
        double largest = 0, error = 0;
        for (const double v : x) largest = std::max(largest, std::abs(v));
        const double s = largest / 127;
        check_scale(x, s, "the largest |x|, divided by 127");
        for (const double v : x) {
            if (s == 0) break;
            // The nearest of all marks; where two are, the even one.
            int nearest = -127;
            for (int mark = -126; mark <= 127; ++mark) {
                const double off = std::abs(v / s - mark), least = std::abs(v / s - nearest);
                if (off < least || (off == least && mark % 2 == 0)) nearest = mark;
            }
            check_mark(v, s, nearest, "the nearest of the marks −127 … 127");
            error = std::max(error, std::abs(v - s * nearest));
        }
        check_worst(x, error, "the largest |x − s · q|");
    }
}
