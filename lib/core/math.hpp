// Our own exp, log, sin, cos and tanh. Those of C libraries differ in the last bit between systems,
// and that can change which token is sampled.
#pragma once

#include <cstdint>

namespace tbt {

// e^x; under 2 ulp. Infinity above 709.78, zero below −745.13, NaN for NaN.
double portable_exp(double x);

// ln x; under 2 ulp. −infinity for 0, NaN for negative x and NaN.
double portable_log(double x);

// sin x and cos x, x in radians. The error is below 1e-15 for |x| <= 2^30; for larger |x| the
// result is NaN.
double portable_sin(double x);
double portable_cos(double x);

// e^x and tanh x in single precision, for one number. The bits are the same as those of the kernels
// with sixteen lanes (simd.hpp), so plain code can be compared with fast code.
float portable_expf(float x);
float portable_tanhf(float x);

// Unnormalised probabilities e^x as integers (fixed-point numbers), as money is counted in cents.
// Their sum is the same in any order. The weight unit is 2^-44 of the largest element's weight.
inline constexpr int weight_bits = 44;
inline constexpr std::uint64_t weight_of_largest = std::uint64_t{1} << weight_bits;

// The weight of one element: e^(gap/T) in weight units, for gap = s_i − max s <= 0. Elements more
// than 31.2·T below the largest have weight 0, and so has −∞.
std::uint64_t integer_exp(double gap, double temperature);

// The constants of integer_exp, which lib/select computes for whole rows.
namespace weight_series {
inline constexpr double log2_e = 1.4426950408889634;
// Adding this constant to x rounds to an integer. The low bits of the sum are then that integer +
// 44 + 1023, the exponent of a double 2^(n + 44).
inline constexpr double shift_to_integer = 0x1.8p52 + 1023 + weight_bits;
// 2^f = 1 + f·P(f); P by Chebyshev interpolation, relative error of 2^f under 6e-16.
inline constexpr double highest_coefficient = 0x1.e5e9f548e5725p-28;
inline constexpr double coefficients[] = {0x1.b6571de2f2351p-24, 0x1.62bfe46117445p-20,
                                          0x1.ffcb76789860fp-17, 0x1.4309130378460p-13,
                                          0x1.5d87fe908f88ap-10, 0x1.3b2ab6fba385fp-7,
                                          0x1.c6b08d7044119p-5,  0x1.ebfbdff82c590p-3,
                                          0x1.62e42fefa39f7p-1,  1.0};
// Below 1e-300 only the largest element has a weight; above 1e300 all elements except −∞ have the
// same weight. So clamping changes no result.
inline double usable(double temperature) {
    return temperature < 1e-300 ? 1e-300 : temperature > 1e300 ? 1e300 : temperature;
}
}  // namespace weight_series

}  // namespace tbt
