// The k-th largest, and the smallest prefix that reaches a given weight, without sorting the row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lib/kernels/scan.hpp"

namespace tbt {

// The k-th largest value (k from 1 to the number of values). Every value must be ordered: no NaN.
float kth_largest(std::span<const float> values, std::size_t k);

// A value that at least k elements reach, and usually few more. One pass; 0 < k.
float reached_by_at_least(std::span<const float> values, std::size_t k);

// Of the elements by descending key (of equal keys the first in the row first) the smallest prefix
// whose weights sum to at least `target`, as a cut. A target of 0 counts as 1, one above the sum of
// all as that sum; so the prefix is never empty. `sum` is Σ w_i; a key of −∞ must have weight 0.
Cut smallest_prefix_reaching(std::span<const float> keys, std::span<const std::uint64_t> weights,
                             std::uint64_t sum, std::uint64_t target);

}  // namespace tbt
