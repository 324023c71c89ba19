// Counts what a forward pass over the whole text computes again.
#pragma once

#include <algorithm>
#include <string>

#include "lib/core/error.hpp"
#include "lib/model/kv_cache.hpp"

namespace tbt {

// The number of positions, among the first `tokens` of two caches, whose keys and values have the
// same bits in every layer and head.
inline int equal_positions(const KvCache& a, const KvCache& b, const TransformerConfig& config,
                           int tokens) {
    if (!a.fits(config) || !b.fits(config) || tokens > std::min(a.length(), b.length()))
        throw Error("caches: " + std::to_string(tokens) + " positions of caches with " +
                    std::to_string(a.length()) + " and " + std::to_string(b.length()) +
                    " tokens, expected two caches of this model with at least that many");
    const int width = a.padded_head_size();
    const auto equal = [&](int position, int layer, int head) {
        for (int d = 0; d < width; ++d) {
            if (a.key(position, layer, head, d) != b.key(position, layer, head, d) ||
                a.value(position, layer, head, d) != b.value(position, layer, head, d))
                return false;
        }
        return true;
    };
    int count = 0;
    for (int position = 0; position < tokens; ++position) {
        bool same = true;
        for (int layer = 0; layer < config.n_layer; ++layer) {
            for (int head = 0; head < config.kv_heads(); ++head)
                same = same && equal(position, layer, head);
        }
        count += same;
    }
    return count;
}

}  // namespace tbt
