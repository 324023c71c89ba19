// Unnormalised probabilities e^x as integers (fixed-point numbers), as money is counted in cents.
// Their sum is the same in any order, so results do not depend on the machine or on threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tbt {

// The weight unit is 2^-44 of the largest element's weight.
inline constexpr int weight_bits = 44;
inline constexpr std::uint64_t weight_of_largest = std::uint64_t{1} << weight_bits;

// The weight of one element: e^(gap/T) in weight units, for gap = s_i − max s <= 0. Elements more
// than 31.2·T below the largest have weight 0, and so has −∞.
std::uint64_t integer_exp(double gap, double temperature);

// Its constants.
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

// ---- whole rows ----

// The maximum number of elements: their sum still fits into 64 bits.
inline constexpr std::size_t max_row_length = std::size_t{1} << 19;

// w_i = e^((s_i − m)/T) in weight units, where no s_i is above m. Elements more than 31.2·T below m
// have weight 0, and so has −∞. Returns Σ w_i.
//
// block_sums, if not null, gets the sums of every `weight_block` weights; the last block may be
// shorter.
inline constexpr std::size_t weight_block = 256;
std::uint64_t integer_exp(std::span<const float> s, float m, double temperature, std::uint64_t* w,
                          std::uint64_t* block_sums = nullptr);

// Σ w_i·(m − s_i)/T over the elements with w_i > 0, as a double. It has sixteen sums, each of every
// sixteenth element, which are added in order at the end.
double weighted_sum_of_gaps(std::span<const float> s, std::span<const std::uint64_t> w, float m,
                            double temperature);

}  // namespace tbt
