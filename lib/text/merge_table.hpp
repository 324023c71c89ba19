// A hash table of a tokenizer's merges: it finds the merge of a pair of tokens. It uses open
// addressing; most look-ups need one probe.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/core/error.hpp"

namespace tbt {

// Fibonacci hashing: the high bits of the product of the key and 2^64 / golden ratio depend on all
// bits of the key.
inline std::size_t slot_of(std::uint64_t key, int shift) {
    return (key ^ key >> 29) * 0x9e3779b97f4a7c15u >> shift;
}

class MergeTable {
public:
    // The neighbouring tokens left and right become the token `merged`. Merges with a lower rank
    // are applied first.
    struct Merge {
        int left = -1;
        int right = 0;
        int rank = 0;
        int merged = 0;
    };

    // Removes all merges and makes room for this many.
    void reset(std::size_t merges) {
        slots_.assign(std::bit_ceil(2 * merges + 2), {});
        shift_ = 64 - std::countr_zero(slots_.size());
        added_ = 0;
    }
    // Returns false if the pair has a merge already. Throws Error if there is no room or an id is
    // negative.
    bool add(const Merge& merge) {
        if (merge.left < 0 || merge.right < 0 || 2 * ++added_ > slots_.size())
            throw Error("merges: there is no room for another merge, or its token does not exist");
        std::size_t slot = first_slot(merge.left, merge.right);
        for (; slots_[slot].left >= 0; slot = next_slot(slot))
            if (slots_[slot].left == merge.left && slots_[slot].right == merge.right) return false;
        slots_[slot] = merge;
        return true;
    }
    // Prefetches the slot of a pair that find() will soon look up: a large table is not in the
    // processor's cache.
    void prefetch(int left, int right) const {
        __builtin_prefetch(&slots_[first_slot(left, right)]);
    }
    // The merge of this pair, or null if it has none.
    const Merge* find(int left, int right) const {
        for (std::size_t slot = first_slot(left, right); slots_[slot].left >= 0;
             slot = next_slot(slot)) {
            if (slots_[slot].left == left && slots_[slot].right == right) return &slots_[slot];
        }
        return nullptr;
    }

private:
    std::size_t first_slot(int left, int right) const {
        const std::uint64_t high = static_cast<std::uint32_t>(left),
                            low = static_cast<std::uint32_t>(right);
        return slot_of(high << 32 | low, shift_);
    }
    std::size_t next_slot(std::size_t slot) const { return (slot + 1) & (slots_.size() - 1); }

    std::vector<Merge> slots_ = std::vector<Merge>(2);
    int shift_ = 63;
    std::size_t added_ = 0;
};

}  // namespace tbt
