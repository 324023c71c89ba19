// Probabilities in integer weights, as money is counted in cents: e^x as integers that add up the
// same in any order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tbt {

// The weight unit is 2^-44 of the weight of the largest element.
inline constexpr int weight_bits = 44;
inline constexpr std::uint64_t weight_of_largest = std::uint64_t{1} << weight_bits;
// So many elements at most: their sum then still fits in 64 bits.
inline constexpr std::size_t longest_row = std::size_t{1} << 19;

// w_i = e^((s_i − m)/T) in integer weights, for s_i <= m. Being whole numbers, weights can be added
// in any order and grouping with the same sum. Elements more than 31.2·T below m have weight 0,
// and so has −∞. Returns Σ w_i.
//
// block_sums, where not null: the sums of `weight_block` weights each;
// the last block may be shorter.
inline constexpr std::size_t weight_block = 256;
std::uint64_t integer_exp(std::span<const float> s, float m, double temperature, std::uint64_t* w,
                          std::uint64_t* block_sums = nullptr);

// One of them: e^(gap/T) for gap = s_i − m <= 0, to the same unit.
std::uint64_t integer_exp(double gap, double temperature);

// Σ w_i·(m − s_i)/T over the elements with a weight, in double: sixteen sums of every sixteenth
// element, then added in order.
double weighted_sum_of_gaps(std::span<const float> s, std::span<const std::uint64_t> w, float m,
                            double temperature);

}  // namespace tbt
