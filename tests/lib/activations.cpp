// Activations against their definitions, and gates by hand.
#include "tests/catch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

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

TEST_CASE("gates of NaN are NaN", "[layers]") {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const auto limited = [](float* x, std::int64_t rows, std::int64_t f, const Worker& worker) {
        gate_limited(x, rows, f, 7, worker);
    };
    for (const auto& [gate, up] : {std::pair{nan, 1.0f}, {1.0f, nan}})
        for (const auto of :
             std::initializer_list<void (*)(float*, std::int64_t, std::int64_t, const Worker&)>{
                 limited, gate_silu, gate_gelu}) {
            float row[] = {gate, up};
            of(row, 1, 1, Worker{});
            CHECK(std::isnan(row[0]));
        }
}

TEST_CASE("limited swiglu keeps gate and up within the limit", "[layers]") {
    // Rows (gate, up): (up + 1) · g · σ(1.702 g), with g at most 7 and up within ±7.
    const auto of = [](float gate, float up) {
        float row[] = {gate, up};
        gate_limited(row, 1, 1, 7, Worker{});
        return row[0];
    };
    CHECK(of(0, 3) == 0);
    CHECK(of(2, -1) == 0);
    CHECK(std::abs(of(9, 20) - 8 * 7 / (1 + std::exp(-1.702f * 7))) <= 1e-5f);  // of about 56
    CHECK(std::abs(of(9, -20) - -6 * 7 / (1 + std::exp(-1.702f * 7))) <= 1e-5f);
    CHECK(std::abs(of(-9, 0) - -9 / (1 + std::exp(1.702f * 9))) <= 1e-11f);  // not limited below
}
