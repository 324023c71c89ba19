// Where attention finds the keys and values of one head, and what it asks the memory for while it
// computes. Included by .cpp files of lib only.
#pragma once

#include <algorithm>

#include "lib/index.hpp"
#include "lib/model/kv_cache.hpp"

namespace tbt::attention {

inline constexpr int block_tokens = KvCache::block_tokens;
// So far ahead keys and values are asked for, or one matrix: a memory answers after some hundred
// operations, and an L1 cache has room for as much.
inline constexpr int fetch_bytes = 12 * 1024;

// The matrices of one head in a cache, in the order in which they are read: the keys of each block,
// then the values of each.
struct Place {
    const KvCache* cache;
    int layer, head;

    int matrices() const { return 2 * cache->blocks(); }
    const void* matrix(int i) const {
        const int blocks = cache->blocks();
        return i < blocks ? cache->keys(i, layer, head) : cache->values(i - blocks, layer, head);
    }
};

// One head of one sequence: everything the passes below need. Element is what its keys and values
// are kept as, float or F16.
template <class Element>
struct Head {
    Place place;
    int size;     // D
    int padded;   // D rounded up to sixteen
    Place next;   // what is read after this head
    float scale;  // of the scores
    int window;   // 0: none

    const Element* keys(int block) const { return as(place.matrix(block)); }
    const Element* values(int block) const {
        return as(place.matrix(place.cache->blocks() + block));
    }
    // What to prefetch while matrix i is used: far enough ahead to hide the latency of memory.
    const Element* later(int i) const {
        const int distance = fetch_bytes / (block_tokens * padded * to_int(sizeof(Element)));
        i += std::clamp(distance, 1, place.matrices());
        const int rest = i - place.matrices();
        return as(rest < 0 ? place.matrix(i) : next.matrix(std::min(rest, next.matrices() - 1)));
    }

private:
    static const Element* as(const void* matrix) { return static_cast<const Element*>(matrix); }
};

// While a row of a matrix is computed with, the same row of a later one is asked for: blocks lie
// far apart, and a processor's own guesses end where one does. Several queries of a text find
// theirs in the cache.
template <int Q, int Numbers, class Element>
void fetch(const Element* later, int at) {
    if constexpr (Q == 1) {
        constexpr int step = 64 / static_cast<int>(sizeof(Element));
        for (int i = 0; i < Numbers; i += step) __builtin_prefetch(later + at + i);
    }
}

}  // namespace tbt::attention
