#include "lib/model/trigonometry.hpp"

#include <cmath>
#include <limits>

namespace tbt {

namespace {

// x = n·π/2 + r with |r| <= π/4. π/2 is high + low, where high is the nearest double. x and n·high
// are multiples of 2^-52 and close to each other, so their difference is exact.
struct Angle {
    double r;
    int quarter;  // n mod 4
};

Angle reduce_angle(double x) {
    constexpr double high = 0x1.921fb54442d18p+0, low = 0x1.1a62633145c07p-54;
    const double n = std::nearbyint(x * 0.63661977236758134);
    return {std::fma(-n, low, std::fma(-n, high, x)),
            static_cast<int>(static_cast<long long>(n) & 3)};
}

// r − r³/3! + r⁵/5! − … up to r^17 (the next term is under 1e-19).
double sin_series(double r) {
    const double r2 = r * r;
    double p = 1.0 / 355687428096000.0;
    constexpr double inverse_factorial[] = {
        -1.0 / 1307674368000, 1.0 / 6227020800, -1.0 / 39916800, 1.0 / 362880,
        -1.0 / 5040,          1.0 / 120,        -1.0 / 6};
    for (const double c : inverse_factorial) p = std::fma(p, r2, c);
    return std::fma(r * r2, p, r);
}

// 1 − r²/2! + r⁴/4! − … up to r^18 (the next term is under 1e-20).
double cos_series(double r) {
    const double r2 = r * r;
    double p = -1.0 / 6402373705728000.0;
    constexpr double inverse_factorial[] = {
        1.0 / 20922789888000, -1.0 / 87178291200, 1.0 / 479001600, -1.0 / 3628800,
        1.0 / 40320,          -1.0 / 720,         1.0 / 24,        -0.5};
    for (const double c : inverse_factorial) p = std::fma(p, r2, c);
    return std::fma(p, r2, 1.0);
}

// sin(x + quarters · π/2).
double sine(double x, int quarters) {
    if (!(std::fabs(x) <= 0x1p30)) return std::numeric_limits<double>::quiet_NaN();
    const auto [r, quarter] = reduce_angle(x);
    const int q = (quarter + quarters) & 3;
    const double y = q % 2 == 0 ? sin_series(r) : cos_series(r);
    return q < 2 ? y : -y;
}

}  // namespace

double portable_sin(double x) { return sine(x, 0); }
double portable_cos(double x) { return sine(x, 1); }

}  // namespace tbt
