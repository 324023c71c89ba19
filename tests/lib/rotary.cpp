// Rotary positions, their sine and cosine, and RMS norm: by hand, and against slower ways.
#include "lib/model/trigonometry.hpp"
#include "tests/catch.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "lib/core/math.hpp"
#include "lib/core/rng.hpp"
#include "lib/model/layers.hpp"
#include "lib/model/model_config.hpp"
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
    const auto said = [](const Rotary& rotary, int size) {
        return error_of([&] { rotary_frequencies(rotary, size); });
    };
    CHECK(contains(said({}, 7), "7 components"));
    CHECK(contains(said({}, 0), "0 components"));
    CHECK(contains(said({-1}, 8), "theta is -1"));
    CHECK(contains(said({NAN}, 8), "theta"));
    CHECK(contains(said({1e4, RotaryScaling::linear, 0}, 8), "the factor is 0"));
    CHECK(contains(said({1e4, RotaryScaling::llama3, 8, 4, 4, 8192}, 8), "high_freq_factor"));
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

TEST_CASE("only longrope has other keys for texts that stay short", "[rotary]") {
    TransformerConfig config = llama_config(1, 1, 1, 8, 8, 16, 300);
    CHECK(short_context(config) == 0);
    config.architecture.rotaries.front().scaling = RotaryScaling::longrope;
    config.architecture.rotaries.front().original_positions = config.n_positions / 2;
    CHECK(short_context(config) == config.n_positions / 2);
    config.architecture.rotaries.front().original_positions = 2 * config.n_positions;
    CHECK(short_context(config) == config.n_positions);
}

TEST_CASE("YaRN's and longrope's impossible numbers are named as config.json names them",
          "[rotary]") {
    const auto said = [](Rotary r) { return error_of([&] { rotary_frequencies(r, 8); }); };
    const Rotary yarn{1e4, RotaryScaling::yarn, 8, 1, 32, 8192};
    CHECK(said(yarn) == "");
    Rotary r = yarn;
    r.high_frequency_factor = 1;
    CHECK(said(r) ==
          "rotary positions: beta_fast is 1.000000, expected more than beta_slow, 1.000000");
    r.scaling = RotaryScaling::llama3;
    CHECK(contains(said(r), "high_freq_factor is 1.000000, expected more than low_freq_factor, "));
    r = yarn, r.low_frequency_factor = 0;
    CHECK(contains(said(r), "beta_slow is 0.000000, expected a positive number"));
    r = yarn, r.original_positions = 0;
    CHECK(contains(said(r), "original_max_position_embeddings is 0.000000"));
    r = yarn, r.amplitude = 0;
    CHECK(contains(said(r), "the amplitude is 0.000000"));
    Rotary longrope{1e4, RotaryScaling::longrope};
    longrope.original_positions = 32;
    longrope.short_factors = {1, 1, 1, 1}, longrope.long_factors = {2, 2, 2, 2};
    CHECK(said(longrope) == "");
    // The context that is asked for chooses: up to the original length the short ones.
    CHECK(rotary_frequencies(longrope, 8, 32)[0] == 1);
    CHECK(rotary_frequencies(longrope, 8, 33)[0] == 0.5);
    longrope.long_factors.pop_back();
    CHECK(contains(said(longrope), "has 3 short or long factors, expected 4, half of"));
    longrope.long_factors = {1, 1, 1, -1};
    CHECK(contains(said(longrope), "a factor of longrope is -1.000000"));
}

TEST_CASE("YaRN by hand: quick pairs stay, slow ones are divided, those between are mixed",
          "[rotary]") {
    // theta 100, 8 components: f = 1, 10^-½, 0.1, 10^-1.5. Of 2π · 10 positions they make 10, 3.16,
    // 1 and 0.316 turns; i = 4 · log10(10 / turns) / 2 is 0 for ten turns and 2 for one.
    Rotary r{100, RotaryScaling::yarn, 4, 1, 10, 63};
    r.whole_dimensions = false;
    const std::vector<double> plain = rotary_frequencies({100}, 8), f = rotary_frequencies(r, 8);
    const double first = 8 * std::log(63 / (10 * 6.283185307179586)) / (2 * std::log(100)),
                 last = 8 * std::log(63 / 6.283185307179586) / (2 * std::log(100));
    for (std::size_t i = 0; i < 4; ++i) {
        const double share = std::clamp(
            (static_cast<double>(i) - std::max(first, 0.0)) / (last - std::max(first, 0.0)), 0.,
            1.);
        CHECK(std::abs(f[i] - plain[i] * (share / 4 + 1 - share)) <= 1e-14);
    }
    CHECK(f[0] == plain[0]);
    CHECK(std::abs(f[3] - plain[3] / 4) <= 1e-16);
    // With whole dimensions the transition is from floor(0.002…) = 0 to ceil(2.002…) = 3.
    r.whole_dimensions = true;
    CHECK(std::abs(rotary_frequencies(r, 8)[2] - plain[2] * (2. / 3 / 4 + 1. / 3)) <= 1e-14);
    // It ends at the last component at most: 7, where ceil(10.4) would be 11.
    const Rotary slow{100, RotaryScaling::yarn, 4, 1, 159000, 1000000};
    CHECK(std::abs(rotary_frequencies(slow, 8)[1] - plain[1] * (1. / 7 / 4 + 6. / 7)) <= 1e-14);
    // A transition of no length is a step, not a division by zero: both ends are at 0 here.
    const Rotary step{100, RotaryScaling::yarn, 4, 1, 10, 6};
    const std::vector<double> stepped = rotary_frequencies(step, 8);
    CHECK(stepped[0] == plain[0]);
    CHECK(std::abs(stepped[1] - plain[1] / 4) <= 1e-15);
}
