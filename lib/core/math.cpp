#include "lib/core/math.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace tbt {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// ln 2 = high + low; high has 32 bits, so that n · high is exact for |n| < 2^20.
constexpr double ln2_high = 0x1.62e42fee00000p-1;
constexpr double ln2_low = 0x1.a39ef35793c76p-33;

}  // namespace

double portable_exp(double x) {
    if (x != x) return x;
    if (x > 709.79) return infinity;
    if (x < -745.14) return 0.0;
    // x = n·ln 2 + r, |r| <= 0.347; e^r by its series up to r^13 (the next term is under 5e-18).
    const double n = std::nearbyint(x * 1.4426950408889634);
    const double r = std::fma(-n, ln2_low, std::fma(-n, ln2_high, x));
    double p = 1.0 / 6227020800.0;
    constexpr double inverse_factorial[] = {
        1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
        1.0 / 720,       1.0 / 120,      1.0 / 24,      1.0 / 6,      0.5};
    for (const double c : inverse_factorial) p = std::fma(p, r, c);
    const double y = 1.0 + std::fma(p * r, r, r);
    return std::ldexp(y, static_cast<int>(n));
}

double portable_log(double x) {
    if (x != x || x < 0.0) return std::numeric_limits<double>::quiet_NaN();
    if (x == 0.0) return -infinity;
    if (x == infinity) return infinity;
    // x = 2^n · m with m in [√½, √2); ln m = 2·artanh(f) with f = (m − 1)/(m + 1), |f| < 0.172.
    int n = 0;
    double m = std::frexp(x, &n);
    if (m < 0.70710678118654752) {
        m *= 2.0;
        --n;
    }
    const double g = m - 1.0;
    const double f = g / (2.0 + g);
    const double f2 = f * f;
    // artanh f = f + f³/3 + f⁵/5 + … up to f^21 (the next term is under 1e-18).
    double p = 1.0 / 21.0;
    for (int k = 19; k >= 3; k -= 2) p = std::fma(p, f2, 1.0 / k);
    // 2f + 2f·f²·p, with 2f = g − f·g to keep the leading term exact in g.
    const double series = g - f * (g - 2.0 * f2 * p);
    return std::fma(n, ln2_high, std::fma(n, ln2_low, series));
}

namespace {

// x = n·ln 2 + r with |r| <= ln 2 / 2. Computes n and e^r − 1 with the same steps as simd.hpp.
struct Reduced {
    float n, expm1_r;
};

Reduced reduce(float x) {
    const float n = std::nearbyint(x * 1.44269504088896341f);
    float r = std::fma(n, -0x1.62e4p-1f, x);
    r = std::fma(n, -0x1.7f7d1cp-20f, r);
    float p = 1.9891080464e-4f;
    p = std::fma(p, r, 1.39337307158e-3f);
    p = std::fma(p, r, 8.33331084465e-3f);
    p = std::fma(p, r, 4.16664641974e-2f);
    p = std::fma(p, r, 1.66666666817e-1f);
    p = std::fma(p, r, 5.00000001354e-1f);
    return {n, std::fma(p * r, r, r)};
}

}  // namespace

float portable_expf(float x) {
    if (x != x) return x;
    if (x < -87.33654f) return 0.0f;
    const auto [n, m] = reduce(std::fmin(x, 89.0f));
    const float scale = std::ldexp(1.0f, static_cast<int>(std::fmin(n, 127.0f)));
    return std::fma(scale, m, scale) * (n > 127.0f ? 2.0f : 1.0f);
}

float portable_tanhf(float x) {
    if (x != x) return x;
    const float clamped = std::fmin(10.0f, std::fmax(-10.0f, x));
    const auto [n, m_r] = reduce(clamped + clamped);
    const float scale = std::ldexp(1.0f, static_cast<int>(n));
    const float m = std::fma(scale, m_r, scale - 1.0f);
    return m / (m + 2.0f);
}

}  // namespace tbt
