// Exercise 06_00: two steps, in two orders.
#include "06_00_order.hpp"
#include "tests/exercises/rows.hpp"

using namespace tbt;
using namespace tbt::ex06_00;

namespace {

constexpr float gone = -INFINITY;

struct Named {
    std::string name;
    Step step;
};

template <class Change>
Named each(const std::string& name, Change change) {
    return {name, [change](Row s) {
                for (float& x : s) x = change(x);
                return s;
            }};
}
Named divide(float by) {
    return each("divide by " + in_words(by), [by](float x) { return x / by; });
}
Named remove_below(float border) {
    return each("remove below " + in_words(border),
                [border](float x) { return x < border ? gone : x; });
}
Named add(float more) {
    return each("add " + in_words(more), [more](float x) { return x + more; });
}

void check_run(const std::vector<Named>& named, const Row& s, const Row& expected,
               const std::string& think) {
    std::vector<Step> steps;
    std::string names;
    for (const Named& n : named) {
        steps.push_back(n.step);
        names += (names.empty() ? "" : ", then ") + n.name;
    }
    same([&] { return run(steps, s); }, expected,
         "run(steps, s) of " + in_words(s) + ": " + (names.empty() ? "no steps" : names), think);
}

const Checker check_left("left(s)", ex06_00::left);

}  // namespace

TEST_CASE("a cut, then a division; and the other way round", "[ex06_00]") {
    check_run({remove_below(3), divide(2)}, {4, 3, 2}, {2, 1.5f, gone}, "first the first");
    check_run({divide(2), remove_below(3)}, {4, 3, 2}, {gone, gone, gone},
              "the cut gets what the division returned");
    check_run({remove_below(3)}, {4, 3, 2}, {4, 3, gone}, "one step");
}

TEST_CASE("no steps, many steps, the same step twice", "[ex06_00]") {
    check_run({}, {4, 3, 2}, {4, 3, 2}, "no steps: the row as it is");
    check_run({divide(2), divide(2), divide(2)}, {8, 16}, {1, 2}, "each works on what is there");
    check_run({add(1), divide(2), add(1)}, {3}, {3}, "3, 4, 2, 3");
    check_run({divide(2), add(1), add(1)}, {4}, {4}, "4, 2, 3, 4");
    check_run({add(10), remove_below(5), add(-10), remove_below(-7)}, {1, -6, 2}, {1, gone, 2},
              "11 4 12, then the -6 is gone, then 1 and 2 again");
}

TEST_CASE("what is left", "[ex06_00]") {
    check_left({4, 3, gone}, 2, "-∞ is removed");
    check_left({gone, gone}, 0, "none");
    check_left({}, 0, "no tokens");
    check_left({0, -1e30f, 5}, 3, "0 and very small ones are still there");
    check_left({INFINITY, gone}, 1, "+∞ is not −∞");
    check_left({gone, 1, gone, 2, gone}, 2, "wherever they are");
}

TEST_CASE("any steps", "[ex06_00]") {
    Rng rng(600);
    for (int round = 0; round < 300; ++round) {
        const Row s = some_row(rng, round);
        std::vector<Named> steps;
        Row expected = s;
        for (std::size_t n = rng.below(5); n > 0; --n) {
            const float x = float(rng.below(7)) - 3;
            const std::uint64_t kind = rng.below(3);
            steps.push_back(kind == 0 ? divide(2) : kind == 1 ? remove_below(x) : add(x));
            expected = steps.back().step(expected);
        }
        check_run(steps, s, expected, "each step gets what the one before it returned");
        check_left(
            expected,
            int(expected.size() - std::size_t(std::count(expected.begin(), expected.end(), gone))),
            "those that are not −∞");
    }
}
