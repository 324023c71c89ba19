// Selection without sorting the row: the k-th largest element (top-k), and the smallest set of the
// largest elements whose weights reach a target (top-p).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lib/select/select.hpp"

namespace tbt {

// The k-th largest value (k from 1 to the number of values). Every value must be ordered: no NaN.
float kth_largest(std::span<const float> values, std::size_t k);

// A value v such that at least k elements are >= v, and usually few more. It takes one pass; k must
// be above 0.
float reached_by_at_least(std::span<const float> values, std::size_t k);

// Orders the elements by descending key (equal keys by position) and returns, as a Cut, the
// shortest prefix whose weights sum to at least `target`. `sum` is Σ w_i. The target is limited to
// 1 … sum, so the prefix is never empty. An element with key −∞ must have weight 0.
Cut smallest_prefix_reaching(std::span<const float> keys, std::span<const std::uint64_t> weights,
                             std::uint64_t sum, std::uint64_t target);

}  // namespace tbt
