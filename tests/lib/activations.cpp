// Activations against their definitions, and gates by hand.
#include "tests/catch.hpp"

#include <algorithm>
#include <cmath>

#include "lib/model/layers.hpp"

using namespace tbt;

TEST_CASE("gelu_erf is x times the distribution function of the normal distribution", "[layers]") {
    double worst = 0;
    for (float x = -12; x < 12; x += 0.00137f) {
        float y = x;
        gelu_erf(&y, 1);
        const auto exact = static_cast<double>(x);
        const double expected = exact * 0.5 * std::erfc(-exact / std::sqrt(2.0));
        worst = std::max(
            worst, std::abs(static_cast<double>(y) - expected) / std::max(1.0, std::abs(exact)));
    }
    INFO(worst);
    CHECK(worst <= 2e-7);  // 7.5e-8 of the formula, and roundings of numbers up to 1
}
