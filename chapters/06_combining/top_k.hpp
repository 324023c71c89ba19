// Top-k on candidates, without sorting. Chapter 04 defines it in plain code.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "chapters/04_top_k/plain_top_k.hpp"
#include "chapters/06_combining/candidates.hpp"
#include "lib/core/index.hpp"
#include "lib/select/select.hpp"

namespace tbt {

// Keeps the tokens with the k largest logits, ties by lower id; k = 0 and k >= V keep all.
//
// A threshold test "s_i >= the k-th largest" keeps too many tokens if logits are equal: of [1, 1,
// 1, 1] with k = 2 it keeps all four. So a Cut also has the number of tokens *at* the threshold
// that stay, taken in the order of their ids.
inline void keep_top_k(Candidates& c, int k, Ties ties = Ties::exact) {
    check_top_k(k);
    // min_tokens_to_keep raises k, as in transformers, where ties at the k-th place stay too.
    const std::size_t wanted = std::max(index(k), c.least());
    if (k == 0 || wanted >= c.size()) return;
    // 1. A threshold that at least k tokens reach and few others do: one look at the row,
    //    no sorting.
    c.keep({c.reached_by(wanted)});
    // 2. Among the few that are left, the k-th largest.
    const std::span<const float> s = c.logits();
    Cut cut{kth_largest(s, wanted)};
    const auto greater =
        std::count_if(s.begin(), s.end(), [&](float v) { return v > cut.threshold; });
    if (ties == Ties::exact) cut.ties = wanted - index(greater);
    c.keep(cut);
}

}  // namespace tbt
