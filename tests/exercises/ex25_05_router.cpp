// Exercise 25_05: the router of a mixture of experts.
#include "25_05_router.hpp"
#include "chapters/25_todays_models/plain_experts.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using ex25_05::Choice;
using ex25_05::route;

namespace {

std::vector<std::size_t> experts(const std::vector<Choice>& chosen) {
    std::vector<std::size_t> numbers;
    for (const Choice& c : chosen) numbers.push_back(c.expert);
    return numbers;
}
std::vector<double> weights(const std::vector<Choice>& chosen) {
    std::vector<double> all;
    for (const Choice& c : chosen) all.push_back(c.weight);
    return all;
}
using Experts = std::vector<std::size_t>;
using Weights = std::vector<double>;

}  // namespace

TEST_CASE("the example of the statement", "[ex25_05]") {
    const std::vector<double> scores = {0, std::log(4.0), std::log(2.0), std::log(3.0)};
    INPUT(scores);
    THINK("the two largest of .1, .4, .2, .3");
    CHECK(experts(route(scores, 2)) == Experts{1, 3});
    THINK("each p divided by .4 + .3");
    CHECK_NEAR(weights(route(scores, 2)), (Weights{4.0 / 7, 3.0 / 7}), 1e-12);
}

TEST_CASE("the order is that of the numbers, not of the weights", "[ex25_05]") {
    THINK("sort the chosen ones by their numbers at the end");
    CHECK(experts(route({5, 0, 7, 6}, 3)) == Experts{0, 2, 3});
}

TEST_CASE("of equal scores the lower numbers are chosen", "[ex25_05]") {
    THINK("a stable sort keeps equal ones in their order");
    CHECK(experts(route({1, 2, 1, 2, 1, 2}, 2)) == Experts{1, 3});
    CHECK(experts(route(std::vector<double>(40, 3.0), 3)) == Experts{0, 1, 2});
    CHECK_NEAR(weights(route(std::vector<double>(40, 3.0), 4)), Weights(4, .25), 1e-12);
}

TEST_CASE("one expert has all the weight, and all experts have the softmax", "[ex25_05]") {
    THINK("divide by the sum of the chosen p");
    CHECK_NEAR(weights(route({1, 3, 2}, 1)), (Weights{1}), 1e-12);
    CHECK_NEAR(weights(route({0, std::log(3.0)}, 2)), (Weights{.25, .75}), 1e-12);
}

TEST_CASE("scores of a thousand overflow nothing", "[ex25_05]") {
    THINK("subtract the largest score before e^x");
    CHECK_NEAR(weights(route({1000, 1000 + std::log(3.0), -1000}, 2)), (Weights{.25, .75}), 1e-9);
    CHECK_NEAR(weights(route({-1000, -1000, -2000}, 2)), (Weights{.5, .5}), 1e-9);
}

TEST_CASE("random scores: the chapter's router", "[ex25_05]") {
    THINK("plain_experts.hpp has the same in floats");
    Rng rng(5);
    for (int round = 0; round < 200; ++round) {
        std::vector<double> scores(1 + rng.below(30));
        for (double& s : scores) s = static_cast<double>(static_cast<float>(rng.normal()));
        const std::size_t k = 1 + rng.below(static_cast<std::uint32_t>(scores.size()));
        Experts numbers;
        Weights expected;
        for (const PlainChoice& c : plain_choice(Row(scores.begin(), scores.end()), k, true)) {
            numbers.push_back(c.expert);
            expected.push_back(static_cast<double>(c.weight));
        }
        INPUT(scores, k);
        CHECK(experts(route(scores, k)) == numbers);
        CHECK_NEAR(weights(route(scores, k)), expected, 1e-5);
    }
}
