// Measures how repetitive a text is.
#pragma once

#include <set>
#include <span>
#include <vector>

#include "lib/core/index.hpp"

namespace tbt {

// distinct-n: the number of distinct n-grams divided by that of all n-grams; 1 for a text without
// repetition [Li et al. 2016]
inline double distinct_ngrams(std::span<const int> ids, std::size_t n) {
    if (ids.size() < n) return 1;
    std::set<std::vector<int>> different;
    for (std::size_t i = 0; i + n <= ids.size(); ++i)
        different.emplace(ids.begin() + to_int(i), ids.begin() + to_int(i + n));
    return static_cast<double>(different.size()) / static_cast<double>(ids.size() - n + 1);
}

// seq-rep-n: the share of n-grams that occurred before, 1 − distinct-n [Welleck et al. 2020, §6]
inline double repeated_ngrams(std::span<const int> ids, std::size_t n) {
    return 1 - distinct_ngrams(ids, n);
}

}  // namespace tbt
