// Top-k: only the k most probable tokens stay. Sort and truncate: the definition that the
// fast version in chapter 06, which does not sort, is compared with.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "chapters/03_temperature/plain_temperature.hpp"
#include "lib/core/error.hpp"

namespace tbt {

enum class Ties {
    exact,     // exactly k: of equal logits the lower ids stay
    keep_all,  // every token as good as the k-th stays too (transformers, vLLM)
};

// Throws UsageError unless k is a number of tokens.
inline void check_top_k(long long k) {
    if (k >= 0) return;
    throw UsageError(
        "top-k: got " + std::to_string(k) +
        ", expected a number of tokens, 1 or more; 0 turns it off, 1 is greedy, 40 is usual");
}

// All ids in the course's one total order: the greater key first, of equal keys the lower id.
inline std::vector<std::size_t> sorted_descending(std::span<const float> keys) {
    std::vector<std::size_t> ids(keys.size());
    std::iota(ids.begin(), ids.end(), std::size_t{0});
    std::stable_sort(ids.begin(), ids.end(),
                     [&](std::size_t a, std::size_t b) { return keys[a] > keys[b]; });
    return ids;
}

// Keeps the k first tokens of the total order, masks the others [Fan, Lewis & Dauphin 2018];
// k = 0 and k >= V keep all.
inline std::vector<float> top_k(std::span<const float> s, int k, Ties ties = Ties::exact) {
    check_top_k(k), check_row(s);
    const auto wanted = static_cast<std::size_t>(k);
    if (k == 0 || wanted >= s.size()) return {s.begin(), s.end()};
    const std::vector<std::size_t> order = sorted_descending(s);
    const float kth = s[order[wanted - 1]];
    std::vector<float> kept(s.size(), masked);
    for (std::size_t rank = 0; rank < s.size(); ++rank) {
        const std::size_t id = order[rank];
        if (rank < wanted || (ties == Ties::keep_all && s[id] == kth)) kept[id] = s[id];
    }
    return kept;
}

// How many tokens can still be chosen.
inline std::size_t count_kept(std::span<const float> s) {
    return s.size() - static_cast<std::size_t>(std::count(s.begin(), s.end(), masked));
}

}  // namespace tbt
