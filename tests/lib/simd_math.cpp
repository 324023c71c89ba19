// exp, tanh and log of our own against long double.
#include "tests/catch.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "lib/core/math.hpp"
#include "lib/core/rng.hpp"
#include "lib/core/simd.hpp"
#include "lib/model/layers.hpp"

namespace {

// The distance from the exact value in units of the last place of the float nearest to it.
template <class Float>
double ulps(Float got, long double exact) {
    const Float nearest = std::abs(static_cast<Float>(exact)),
                step = std::nextafter(nearest, std::numeric_limits<Float>::infinity()) - nearest;
    return static_cast<double>(std::abs(static_cast<long double>(got) - exact) /
                               static_cast<long double>(step));
}

template <class F>
float in_every_lane(F&& f, float x) {
    const tbt::simd::Lanes y = f(tbt::simd::Lanes::all(x));
    float out[16];
    y.store(out);
    for (const float v : out)
        REQUIRE((std::bit_cast<std::uint32_t>(v) == std::bit_cast<std::uint32_t>(out[0]) ||
                 (std::isnan(v) && std::isnan(out[0]))));
    return out[0];
}

const auto lanes_exp = [](const tbt::simd::Lanes& v) { return tbt::simd::exp(v); };
const auto lanes_tanh = [](const tbt::simd::Lanes& v) { return tbt::simd::tanh(v); };

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

}  // namespace

TEST_CASE("exp is within 1.5 ulp of the exact value from the smallest normal result to the largest",
          "[simd]") {
    double worst = 0;
    for (float x = -87.33f; x < 88.72f; x += 0.00311f) {
        worst = std::max(worst,
                         ulps(in_every_lane(lanes_exp, x), std::exp(static_cast<long double>(x))));
    }
    INFO("largest error " << worst << " ulp");
    REQUIRE(worst <= 1.5);
}

TEST_CASE("exp of the special values is what the formula says", "[simd]") {
    REQUIRE(in_every_lane(lanes_exp, 0.0f) == 1.0f);
    REQUIRE(in_every_lane(lanes_exp, -inf) == 0.0f);
    REQUIRE(in_every_lane(lanes_exp, inf) == inf);
    REQUIRE(in_every_lane(lanes_exp, 88.73f) == inf);
    REQUIRE(in_every_lane(lanes_exp, 88.72f) < inf);
    REQUIRE(in_every_lane(lanes_exp, -100.0f) == 0.0f);
    REQUIRE(std::isnan(in_every_lane(lanes_exp, not_a_number)));
}

TEST_CASE("tanh is within 3.5 ulp of the exact value, near zero too", "[simd]") {
    double worst = 0;
    for (float x = 1e-6f; x < 12.0f; x *= 1.0007f) {
        for (const float v : {x, -x})
            worst = std::max(
                worst, ulps(in_every_lane(lanes_tanh, v), std::tanh(static_cast<long double>(v))));
    }
    INFO("largest error " << worst << " ulp");
    REQUIRE(worst <= 3.5);
    REQUIRE(in_every_lane(lanes_tanh, 0.0f) == 0.0f);
    REQUIRE(in_every_lane(lanes_tanh, inf) == 1.0f);
    REQUIRE(in_every_lane(lanes_tanh, -inf) == -1.0f);
    REQUIRE(std::isnan(in_every_lane(lanes_tanh, not_a_number)));
}

TEST_CASE("the portable exp and log are within 2 ulp in double", "[simd]") {
    double worst_exp = 0, worst_log = 0;
    const auto log_of = [&](double x) {
        worst_log =
            std::max(worst_log, ulps(tbt::portable_log(x), std::log(static_cast<long double>(x))));
    };
    for (double x = -708.0; x < 709.0; x += 0.01713)
        worst_exp =
            std::max(worst_exp, ulps(tbt::portable_exp(x), std::exp(static_cast<long double>(x))));
    for (double x = 1e-300; x < 1e300; x *= 1.0137) log_of(x);
    for (double x = 0.5; x < 2.0; x += 0.00013) log_of(x);
    INFO("exp " << worst_exp << " ulp, log " << worst_log << " ulp");
    REQUIRE(worst_exp <= 2.0);
    REQUIRE(worst_log <= 2.0);
    REQUIRE(tbt::portable_log(1.0) == 0.0);
    REQUIRE(tbt::portable_exp(0.0) == 1.0);
    REQUIRE(tbt::portable_log(0.0) == -std::numeric_limits<double>::infinity());
    REQUIRE(std::isnan(tbt::portable_log(-1.0)));
    REQUIRE(tbt::portable_exp(-1000.0) == 0.0);
    REQUIRE(tbt::portable_exp(1000.0) == std::numeric_limits<double>::infinity());
}

TEST_CASE("a sum over lanes is added in the documented order", "[simd]") {
    // 2^24 + 1 is not a float: the result tells the order in which the lanes were added.
    float v[16] = {};
    v[0] = 16777216.0f, v[8] = 1.0f, v[4] = 1.0f, v[12] = 1.0f;
    // (v0 + v8) + (v4 + v12): the first pair rounds to 2^24, the second is 2, which survives.
    REQUIRE(tbt::simd::sum(tbt::simd::Lanes::load(v)) == 16777218.0f);
}

TEST_CASE("softmax sums to one, keeps order and gives exactly zero to minus infinity", "[layers]") {
    for (const std::size_t n : {1u, 2u, 15u, 16u, 17u, 97u}) {
        std::vector<float> s(n), p(n);
        for (std::size_t i = 0; i < n; ++i) s[i] = static_cast<float>((i * 37) % 11) - 5.0f;
        if (n > 2) s[1] = -inf;
        tbt::softmax(s, p);
        double total = 0, reference = 0;
        for (std::size_t i = 0; i < n; ++i) reference += std::exp(static_cast<double>(s[i]));
        for (std::size_t i = 0; i < n; ++i) {
            total += p[i];
            // 16 roundings of 2^-24 at most in the sum, 4 in the quotient and exp.
            REQUIRE(std::abs(p[i] - std::exp(static_cast<double>(s[i])) / reference) <= 2e-6);
        }
        REQUIRE(std::abs(total - 1.0) <= 2e-6);
        if (n > 2) REQUIRE(p[1] == 0.0f);
    }
}

TEST_CASE("log-softmax is the logarithm of softmax, also where the probability underflows",
          "[layers]") {
    std::vector<float> s = {1000.0f, 999.0f, 0.0f, -inf}, l(4);
    tbt::log_softmax(s, l);
    REQUIRE(std::abs(l[0] - -0.3132617) <= 1e-6);
    REQUIRE(std::abs(l[1] - -1.3132617) <= 1e-6);
    REQUIRE(std::abs(l[2] - -1000.3133) <= 1e-3);
    REQUIRE(l[3] == -inf);
}

TEST_CASE("a row without a distribution gives NaN, never a plausible number", "[layers]") {
    std::vector<float> p(20);
    for (const float bad : {not_a_number, inf}) {
        std::vector<float> s(20, 0.5f);
        s[18] = bad;
        tbt::softmax(s, p);
        REQUIRE(std::isnan(p[18]));
        tbt::log_softmax(s, p);
        REQUIRE(std::isnan(p[18]));
    }
    const std::vector<float> nothing(20, -inf);
    tbt::softmax(nothing, p);
    for (const float v : p) REQUIRE(std::isnan(v));
}

TEST_CASE("layer norm gives mean beta and variance gamma squared, in place too", "[layers]") {
    for (const std::int64_t c : {1, 15, 16, 33, 192}) {
        std::vector<float> x(static_cast<std::size_t>(3 * c)), gamma(static_cast<std::size_t>(c)),
            beta(static_cast<std::size_t>(c)), y(x.size());
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] = static_cast<float>((i * 7919) % 101) * 0.1f - 3.0f;
        for (std::size_t i = 0; i < gamma.size(); ++i)
            gamma[i] = 0.5f + 0.01f * static_cast<float>(i),
            beta[i] = 0.1f * static_cast<float>(i % 5);
        tbt::layer_norm(x.data(), gamma.data(), beta.data(), 1e-5f, y.data(), 3, c, {});
        for (std::int64_t r = 0; r < 3; ++r) {
            const float* in = x.data() + r * c;
            double mean = 0, variance = 0;
            for (std::int64_t i = 0; i < c; ++i) mean += in[i];
            mean /= static_cast<double>(c);
            for (std::int64_t i = 0; i < c; ++i) variance += (in[i] - mean) * (in[i] - mean);
            variance /= static_cast<double>(c);
            for (std::int64_t i = 0; i < c; ++i) {
                const std::size_t k = static_cast<std::size_t>(i);
                const double expected =
                    (in[i] - mean) / std::sqrt(variance + 1e-5) * gamma[k] + beta[k];
                REQUIRE(std::abs(y[static_cast<std::size_t>(r * c + i)] - expected) <= 1e-5);
            }
        }
        tbt::layer_norm(x.data(), gamma.data(), beta.data(), 1e-5f, x.data(), 3, c, {});
        REQUIRE(x == y);
    }
}

TEST_CASE("GELU follows its tanh formula", "[layers]") {
    std::vector<float> x(37), y;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) * 0.4f - 7.0f;
    y = x;
    tbt::gelu(y.data(), static_cast<std::int64_t>(y.size()));
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double v = x[i];
        const double expected =
            0.5 * v * (1 + std::tanh(std::sqrt(2 / 3.14159265358979) * (v + 0.044715 * v * v * v)));
        REQUIRE(std::abs(y[i] - expected) <= 2e-6);
    }
}

TEST_CASE("exp and tanh of one float are those of sixteen lanes, bit for bit", "[math]") {
    tbt::Rng rng(18);
    const float infinity = std::numeric_limits<float>::infinity();
    std::vector<float> xs = {0.0f,    -0.0f,   1.0f,   -1.0f,  88.72f,  88.73f,   89.5f,    1000.0f,
                             -87.33f, -87.34f, -88.0f, 1e-30f, -1e-30f, infinity, -infinity};
    for (int i = 0; i < 200000; ++i)
        xs.push_back(static_cast<float>((rng.uniform() - 0.5) * (i % 2 ? 200.0 : 8.0)));
    while (xs.size() % 16) xs.push_back(0);
    for (std::size_t i = 0; i < xs.size(); i += 16) {
        float e[16], t[16];
        tbt::simd::exp(tbt::simd::Lanes::load(&xs[i])).store(e);
        tbt::simd::tanh(tbt::simd::Lanes::load(&xs[i])).store(t);
        for (std::size_t k = 0; k < 16; ++k) {
            INFO("x = " << xs[i + k]);
            REQUIRE(std::bit_cast<std::uint32_t>(tbt::portable_expf(xs[i + k])) ==
                    std::bit_cast<std::uint32_t>(e[k]));
            REQUIRE(std::bit_cast<std::uint32_t>(tbt::portable_tanhf(xs[i + k])) ==
                    std::bit_cast<std::uint32_t>(t[k]));
        }
    }
    REQUIRE(std::isnan(tbt::portable_expf(NAN)));
    REQUIRE(std::isnan(tbt::portable_tanhf(NAN)));
}
