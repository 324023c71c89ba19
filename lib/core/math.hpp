// Our own exp, log, sin, cos and tanh: those of C libraries differ in the last bit between systems,
// and that can change which token is sampled. Integer weights, and floats of 16 bits.
#pragma once

#include <bit>
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

// ---- 16-bit floats: f16 (IEEE 754 binary16: 5 bits of exponent, 10 of fraction) and bf16 (the
// upper half of a float). Floats are rounded to the nearest, ties to even, as every framework does.
// Infinities stay, NaN stays NaN, small values become subnormal. Conversion to float is exact. ----
inline std::uint16_t to_bf16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u)
        return static_cast<std::uint16_t>((bits >> 16) | 0x40u);  // NaN, quiet
    return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

inline float from_bf16(std::uint16_t half) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(half) << 16);
}

inline std::uint16_t to_f16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = (bits >> 16) & 0x8000u, magnitude = bits & 0x7fffffffu;
    const auto with_sign = [sign](std::uint32_t rest) {
        return static_cast<std::uint16_t>(sign | rest);
    };
    if (magnitude > 0x7f800000u)
        return with_sign(0x7e00u | ((magnitude >> 13) & 0x3ffu));  // NaN, quiet
    if (magnitude >= 0x477ff000u) return with_sign(0x7c00u);       // 65520 or more: infinity
    if (magnitude < 0x38800000u) {
        // Below 2^-14 the result is a multiple of 2^-24, the last bit of 0.5:
        // adding 0.5 rounds to one.
        return with_sign(std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) -
                         0x3f000000u);
    }
    const std::uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
    return with_sign((rounded - 0x38000000u) >> 13);  // the exponent's bias drops from 127 to 15
}

inline float from_f16(std::uint16_t half) {
    const std::uint32_t sign = (half & 0x8000u) << 16, rest = half & 0x7fffu;
    std::uint32_t bits = (rest << 13) + 0x38000000u;
    if (rest >= 0x7c00u)
        bits =
            0x7f800000u | (rest << 13) | (rest > 0x7c00u ? 0x400000u : 0u);  // infinity, quiet NaN
    if (rest < 0x0400u)
        bits = std::bit_cast<std::uint32_t>(static_cast<float>(rest) * 0x1p-24f);  // subnormal
    return std::bit_cast<float>(sign | bits);
}

}  // namespace tbt
