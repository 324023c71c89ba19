// Counts the work of generating a text with and without a KV cache, exactly, and what a forward
// pass over the whole text computes again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "lib/core/error.hpp"

namespace tbt {

// The work of generating G tokens after a prompt of P. A position is projected if it goes through
// all matrices of the model. A dot product is one query with one key; they are counted for one head
// of one layer, with the causal mask.
struct Work {
    std::int64_t positions = 0;
    std::int64_t dot_products = 0;
};

// Throws Error if a length is negative or too large.
constexpr void check_lengths(std::int64_t a, std::int64_t b) {
    constexpr std::int64_t most = 1 << 26;
    if (a < 0 || b < 0 || a > most || b > most - a)
        throw Error("work: " + std::to_string(a) + " and " + std::to_string(b) +
                    " tokens, expected 0 or more, and less than a hundred million together");
}

// One forward pass over `fresh` new tokens after `past` cached ones: new token i has past + i + 1
// dot products.
constexpr Work forward_work(std::int64_t past, std::int64_t fresh) {
    check_lengths(past, fresh);
    return {fresh, fresh * past + fresh * (fresh + 1) / 2};
}

// Without a cache each token reads everything again: Σ_i (P + i) = G·P + G(G − 1)/2 positions.
constexpr Work uncached_work(std::int64_t prompt, std::int64_t generated) {
    check_lengths(prompt, generated);
    Work total;
    for (std::int64_t i = 0; i < generated; ++i) {
        const Work pass = forward_work(0, prompt + i);
        total.positions += pass.positions;
        total.dot_products += pass.dot_products;
    }
    return total;
}

// With a cache the prompt is read once, then one token at a time. The last generated token is never
// read: P + G − 1 positions.
constexpr Work cached_work(std::int64_t prompt, std::int64_t generated) {
    check_lengths(prompt, generated);
    if (generated == 0) return {};
    Work total = forward_work(0, prompt);
    for (std::int64_t i = 1; i < generated; ++i) {
        const Work pass = forward_work(prompt + i - 1, 1);
        total.positions += pass.positions;
        total.dot_products += pass.dot_products;
    }
    return total;
}

// The number of positions, among the first `tokens` of two caches, whose keys and values have the
// same bits in every layer and head.
template <class Cache, class Config>
int equal_positions(const Cache& a, const Cache& b, const Config& config, int tokens) {
    if (!a.fits(config) || !b.fits(config) || tokens > std::min(a.length(), b.length()))
        throw Error("caches: " + std::to_string(tokens) + " positions of caches with " +
                    std::to_string(a.length()) + " and " + std::to_string(b.length()) +
                    " tokens, expected two caches of this model with at least that many");
    const auto equal = [&](int position, int layer, int head) {
        for (int d = 0; d < config.n_embd / config.n_head; ++d) {
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
            for (int head = 0; head < config.n_head; ++head)
                same = same && equal(position, layer, head);
        }
        count += same;
    }
    return count;
}

}  // namespace tbt
