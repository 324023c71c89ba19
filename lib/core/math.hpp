// Our own exp, log and tanh: those of C libraries differ in the last bit between systems,
// and that can change which token is sampled. And floats of 16 bits.
#pragma once

#include <bit>
#include <cstdint>

namespace tbt {

// e^x; under 2 ulp. Infinity above 709.78, zero below −745.13, NaN for NaN.
double portable_exp(double x);

// ln x; under 2 ulp. −infinity for 0, NaN for negative x and NaN.
double portable_log(double x);

// e^x and tanh x in single precision, for one number. The bits are the same as those of the kernels
// with sixteen lanes (simd.hpp), so plain code can be compared with fast code.
float portable_expf(float x);
float portable_tanhf(float x);

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
