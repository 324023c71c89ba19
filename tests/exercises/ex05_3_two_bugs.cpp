// Exercise 05_3: the distribution that shows a bug.
#include <numeric>

#include "05_3_two_bugs.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex05_3;

namespace {

// The rule, as it is written: the first length whose mass is enough.
std::size_t by_definition(const std::vector<int>& weights, int percent) {
    std::size_t n = 1;
    for (int mass = weights[0]; n < weights.size() && mass < percent; ++n) mass += weights[n];
    return n;
}

void check_is_distribution(const Witness& w) {
    INFO("weights are above 0, sorted, greatest first, and sum to 100; percent is 0 to 100");
    INPUT(w.weights, w.percent);
    EXPECT(!w.weights.empty(), "one weight at least", w.weights);
    EXPECT(std::is_sorted(w.weights.begin(), w.weights.end(), std::greater<>()),
           "the greatest weight first", w.weights);
    EXPECT(w.weights.back() > 0, "weights above 0", w.weights);
    CHECK(std::accumulate(w.weights.begin(), w.weights.end(), 0) == 100);
    EXPECT(w.percent >= 0 && w.percent <= 100, "percent from 0 to 100", w.percent);
}

}  // namespace

TEST_CASE("the right nucleus of 40, 30, 20, 10 at 90 has three words, at 91 four", "[ex05_3]") {
    const std::vector<int> weights = {40, 30, 20, 10};
    INPUT(weights);
    CHECK(nucleus(weights, 90) == 3);
    CHECK(nucleus(weights, 91) == 4);
    CHECK(nucleus(weights, 89) == 3);
    CHECK(nucleus(weights, 40) == 1);
    CHECK(nucleus(weights, 41) == 2);
    CHECK(nucleus(weights, 100) == 4);
    INFO("think about: never empty");
    CHECK(nucleus(weights, 0) == 1);
}

TEST_CASE("the first witness shows a's bug and not b's", "[ex05_3]") {
    const Witness w = witness_a();
    check_is_distribution(w);
    const std::size_t right = by_definition(w.weights, w.percent);
    INPUT(w.weights, w.percent);
    INFO("right is " << right << "; think about: what does a do when the sum is exactly p?");
    CHECK(nucleus_a(w.weights, w.percent) != right);
    CHECK(nucleus_b(w.weights, w.percent) == right);
}

TEST_CASE("the second witness shows b's bug and not a's", "[ex05_3]") {
    const Witness w = witness_b();
    check_is_distribution(w);
    const std::size_t right = by_definition(w.weights, w.percent);
    INPUT(w.weights, w.percent);
    INFO("right is " << right << "; think about: which word makes the sum step over p?");
    CHECK(nucleus_b(w.weights, w.percent) != right);
    CHECK(nucleus_a(w.weights, w.percent) == right);
}

TEST_CASE("any distribution at any percentage", "[ex05_3]") {
    THINK("the smallest number of words whose sum is at least percent, and never none");
    Rng rng(53);
    for (int round = 0; round < 60; ++round) {
        std::vector<int> weights;
        for (int left = 100; left > 0; left -= weights.back())
            weights.push_back(
                1 + static_cast<int>(rng.below(static_cast<std::uint64_t>(std::min(left, 45)))));
        std::sort(weights.begin(), weights.end(), std::greater<>());
        for (int percent = 0; percent <= 100; ++percent) {
            INPUT(weights, percent);
            REQUIRE(nucleus(weights, percent) == by_definition(weights, percent));
        }
    }
}
