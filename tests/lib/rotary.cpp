// Rotary positions, their sine and cosine, and RMS norm: by hand, and against slower ways.
#include "lib/model/trigonometry.hpp"
#include "tests/catch.hpp"

#include <cmath>
#include <vector>

#include "lib/core/math.hpp"
#include "lib/core/rng.hpp"
#include "lib/model/layers.hpp"
#include "lib/model/rotary.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;
using test::contains;
using test::error_of;

namespace {

std::vector<float> random_row(int n, std::uint64_t seed) {
    Rng rng(seed);
    std::vector<float> row(static_cast<std::size_t>(n));
    for (float& x : row) x = static_cast<float>(rng.normal());
    return row;
}

std::vector<float> rotated(std::vector<float> x, const std::vector<double>& frequencies,
                           std::int64_t position) {
    std::vector<float> angles(2 * frequencies.size());
    rotary_angles(frequencies, position, angles.data());
    rotate(x.data(), static_cast<int>(2 * frequencies.size()), angles.data());
    return x;
}

double dot(const std::vector<float>& a, const std::vector<float>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    return sum;
}

}  // namespace

TEST_CASE("sine and cosine are within 1e-15 of the exact value, also of large angles", "[rotary]") {
    double worst = 0;
    const auto compare = [&](double x) {
        const auto exact = static_cast<long double>(x);
        for (const long double d : {static_cast<long double>(portable_sin(x)) - std::sin(exact),
                                    static_cast<long double>(portable_cos(x)) - std::cos(exact)})
            worst = std::max(worst, std::abs(static_cast<double>(d)));
    };
    for (double x = -7; x < 7; x += 0.000917) compare(x);
    Rng rng(1);
    for (int i = 0; i < 20000; ++i) compare(rng.uniform() * 1.3e5), compare(rng.uniform() * 0x1p30);
    for (int i = 0; i < 1000; ++i) compare(i * 1.5707963267948966);  // nearly 0
    INFO(worst);
    CHECK(worst <= 1e-15);
    CHECK(portable_sin(0) == 0);
    CHECK(portable_cos(0) == 1);
    CHECK(std::isnan(portable_sin(0x1p31)));
    CHECK(std::isnan(portable_cos(-INFINITY)));
    CHECK(std::isnan(portable_sin(NAN)));
}

TEST_CASE("a pair turns by its angle: a quarter turn sends (1, 0) to (0, 1)", "[rotary]") {
    // Components 0 and 2 are a pair, 1 and 3 another one that turns nine times as slowly.
    const double quarter = 1.5707963267948966;
    const std::vector<float> x = rotated({1, 1, 0, 0}, {quarter, quarter / 9}, 1);
    CHECK(std::abs(x[0]) <= 1e-7f);
    CHECK(x[2] == 1.0f);
    CHECK(std::abs(x[1] - 0.9848078f) <= 1e-6f);  // cos 10°
    CHECK(std::abs(x[3] - 0.1736482f) <= 1e-6f);  // sin 10°
    const std::vector<float> there = {0.3f, -2, 5, 1e-3f};
    CHECK(rotated(there, {1, 0.01}, 0) == there);  // position 0 turns nothing
}

TEST_CASE("only the distance of two positions counts for a rotated query and key", "[rotary]") {
    for (const int size : {2, 6, 32, 48, 128}) {
        const std::vector<double> f = rotary_frequencies({}, size);
        const std::vector<float> q = random_row(size, 1), k = random_row(size, 2);
        for (const int distance : {0, 1, 30, 500}) {
            const double near = dot(rotated(q, f, distance), rotated(k, f, 0));
            const double far = dot(rotated(q, f, 3000 + distance), rotated(k, f, 3000));
            CHECK(std::abs(near - far) <= 1e-4);  // sums of 128 floats of size 1
        }
    }
}

TEST_CASE("frequencies fall from 1 to nearly 1 / theta, and scaling divides them", "[rotary]") {
    const std::vector<double> f = rotary_frequencies({}, 8);
    const double expected[] = {1, 0.1, 0.01, 0.001};
    for (std::size_t i = 0; i < 4; ++i) CHECK(std::abs(f[i] / expected[i] - 1) <= 1e-14);
    const std::vector<double> linear = rotary_frequencies({1e4, RotaryScaling::linear, 8}, 8);
    for (std::size_t i = 0; i < 4; ++i) CHECK(linear[i] == f[i] / 8);
    // Llama 3: 1 turns 1303 times in 8192 positions and stays, 0.001 turns 1.3 times: between 1
    // and 4, a tenth of the way; 1e-4 less than once, and is divided.
    const Rotary llama3{1e5, RotaryScaling::llama3, 32, 1, 4, 8192};
    const std::vector<double> l = rotary_frequencies(llama3, 10);
    CHECK(l[0] == 1);
    CHECK(std::abs(l[4] / (1e-4 / 32) - 1) <= 1e-13);
    const double turns = 8192 * 1e-3 / 6.283185307179586, kept = (turns - 1) / 3;
    CHECK(std::abs(l[3] / ((1 - kept) * 1e-3 / 32 + kept * 1e-3) - 1) <= 1e-13);
}

TEST_CASE("frequencies that make no sense are refused", "[rotary]") {
    CHECK(contains(error_of([] { rotary_frequencies({}, 7); }), "7 components"));
    CHECK(contains(error_of([] { rotary_frequencies({}, 0); }), "0 components"));
    CHECK(contains(error_of([] { rotary_frequencies({-1}, 8); }), "theta is -1"));
    CHECK(contains(error_of([] { rotary_frequencies({NAN}, 8); }), "theta"));
    CHECK(contains(error_of([] {
                       rotary_frequencies({1e4, RotaryScaling::linear, 0}, 8);
                   }),
                   "the factor is 0"));
    CHECK(contains(error_of([] {
                       rotary_frequencies({1e4, RotaryScaling::llama3, 8, 4, 4, 8192}, 8);
                   }),
                   "high_freq_factor"));
}

TEST_CASE("RMS norm: 3 and 4 have the root mean square 3.54, and no mean is taken off",
          "[layers]") {
    const float x[] = {3, 4}, gamma[] = {1, 10};
    float y[2];
    rms_norm(x, gamma, 0, y, 1, 2, Worker{});
    CHECK(std::abs(y[0] - 0.84852814f) <= 1e-7f);
    CHECK(std::abs(y[1] - 11.313708f) <= 1e-6f);
    // ε is inside the root: zeros stay zeros instead of NaN, and small numbers small.
    const float tiny[] = {1e-3f, 1e-3f};
    rms_norm(tiny, gamma, 1e-6f, y, 1, 2, Worker{});
    CHECK(std::abs(y[0] - 0.70710677f) <= 1e-6f);
    const float zero[] = {0, 0};
    rms_norm(zero, gamma, 1e-6f, y, 1, 2, Worker{});
    CHECK(y[0] == 0);
}

TEST_CASE("a gate lets its other half through: silu by hand, any width", "[layers]") {
    for (const int f : {1, 3, 16, 37}) {
        std::vector<float> x = random_row(2 * 2 * f, 3), before = x;
        gate_silu(x.data(), 2, f, Worker{});
        for (int r = 0; r < 2; ++r)
            for (int i = 0; i < f; ++i) {
                const auto at = static_cast<std::size_t>(r * 2 * f + i);
                const auto g = static_cast<double>(before[at]),
                           up = static_cast<double>(before[at + static_cast<std::size_t>(f)]);
                CHECK(std::abs(static_cast<double>(x[at]) - g / (1 + std::exp(-g)) * up) <= 1e-6);
                CHECK(x[at + static_cast<std::size_t>(f)] ==
                      before[at + static_cast<std::size_t>(f)]);
            }
    }
    float extremes[] = {-200, 200, 5, 5};
    gate_silu(extremes, 1, 2, Worker{});
    CHECK(extremes[0] == 0);
    CHECK(extremes[1] == 1000);
}
