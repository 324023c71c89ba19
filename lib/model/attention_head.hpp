// Access to the keys and values of one attention head in the KV cache, and their prefetching.
// Included by .cpp files of lib only.
#pragma once

#include <algorithm>

#include "lib/core/index.hpp"
#include "lib/model/kv_cache.hpp"

namespace tbt::attention {

inline constexpr int block_tokens = KvCache::block_tokens;
// Keys and values are prefetched this far ahead, but at least one matrix ahead. That is far enough
// to hide the memory's latency (the time of some hundred operations), and fits into an L1 cache.
inline constexpr int fetch_bytes = 12 * 1024;

// The matrices of one head in a cache, in the order in which they are read: the keys of all blocks,
// then the values of all blocks.
struct Place {
    const KvCache* cache;
    int layer, head;

    int matrices() const { return 2 * cache->blocks(); }
    const void* matrix(int i) const {
        const int blocks = cache->blocks();
        return i < blocks ? cache->keys(i, layer, head) : cache->values(i - blocks, layer, head);
    }
};

// One head of one sequence: everything that the passes of attention need. Element is the type of
// the stored keys and values, float or F16.
template <class Element>
struct Head {
    Place place;
    int size;     // D
    int padded;   // D rounded up to a multiple of sixteen
    Place next;   // the head that is read after this one
    float scale;  // a score is query · key · scale
    int window;   // the number of tokens that a query sees, its own included; 0: all

    const Element* keys(int block) const { return as(place.matrix(block)); }
    const Element* values(int block) const {
        return as(place.matrix(place.cache->blocks() + block));
    }
    // The matrix to prefetch while matrix i is used; it may belong to the next head.
    const Element* later(int i) const {
        const int distance = fetch_bytes / (block_tokens * padded * to_int(sizeof(Element)));
        i += std::clamp(distance, 1, place.matrices());
        const int rest = i - place.matrices();
        return as(rest < 0 ? place.matrix(i) : next.matrix(std::min(rest, next.matrices() - 1)));
    }

private:
    static const Element* as(const void* matrix) { return static_cast<const Element*>(matrix); }
};

// Prefetches `Numbers` elements of a later matrix, beginning with element `at`, while the same row
// of the current one is used. Blocks lie far apart in memory, and the processor's own prefetching
// stops at the end of a block. Several queries (Q > 1) belong to a longer text, whose queries read
// the same blocks one after the other and find them in the processor's cache.
template <int Q, int Numbers, class Element>
void prefetch(const Element* matrix, int at) {
    if constexpr (Q == 1) {
        constexpr int step = 64 / static_cast<int>(sizeof(Element));
        for (int i = 0; i < Numbers; i += step) __builtin_prefetch(matrix + at + i);
    }
}

}  // namespace tbt::attention
