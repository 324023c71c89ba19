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
