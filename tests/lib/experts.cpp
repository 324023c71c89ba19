// Mixtures of experts: which experts a token takes, and with what weights.
#include "tests/catch.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "lib/model/experts.hpp"

using namespace tbt;

namespace {

std::vector<ChosenExpert> chosen(std::vector<float> scores, std::size_t k, bool sum_to_one) {
    std::vector<ChosenExpert> result(k);
    choose_experts(scores, sum_to_one, result);
    return result;
}

}  // namespace

TEST_CASE("the experts with the largest scores are chosen, in order of their numbers",
          "[experts]") {
    // The softmax of ln 1, ln 4, ln 2, ln 3 is .1, .4, .2, .3.
    const std::vector<float> scores = {0.0f, std::log(4.0f), std::log(2.0f), std::log(3.0f)};
    const std::vector<ChosenExpert> parts = chosen(scores, 2, false);
    CHECK(parts[0].expert == 1);
    CHECK(parts[1].expert == 3);
    CHECK(std::abs(parts[0].weight - 0.4f) <= 1e-6f);  // a few roundings of numbers below 1
    CHECK(std::abs(parts[1].weight - 0.3f) <= 1e-6f);
    const std::vector<ChosenExpert> whole = chosen(scores, 2, true);
    CHECK(std::abs(whole[0].weight - 4.0f / 7) <= 1e-6f);
    CHECK(std::abs(whole[1].weight - 3.0f / 7) <= 1e-6f);
}

TEST_CASE("of equal scores the lower number is chosen, and NaN breaks nothing", "[experts]") {
    const std::vector<ChosenExpert> equal = chosen({1, 2, 2, 2}, 2, true);
    CHECK(equal[0].expert == 1);
    CHECK(equal[1].expert == 2);
    CHECK(equal[0].weight == 0.5f);
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const std::vector<ChosenExpert> broken = chosen({nan, nan, nan}, 2, true);
    CHECK(broken[0].expert == 0);
    CHECK(broken[1].expert == 1);
    CHECK(std::isnan(broken[0].weight));
}

TEST_CASE("more experts than there are cannot be chosen", "[experts]") {
    CHECK_THROWS_WITH(chosen({1, 2}, 3, true), Catch::Contains("experts: scores"));
    CHECK(chosen({1, 2}, 2, true).size() == 2);
}
