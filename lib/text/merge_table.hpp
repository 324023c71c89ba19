// The merges of a tokenizer, to be asked for by pair: open addressing, one probe mostly.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/error.hpp"

namespace tbt {

// Fibonacci hashing: the high bits of a product with 2^64 / golden ratio depend on
// all bits of the key.
inline std::size_t slot_of(std::uint64_t key, int shift) {
    return (key ^ key >> 29) * 0x9e3779b97f4a7c15u >> shift;
}

class MergeTable {
public:
    // The pair of neighbours (left, right) becomes `merged`; lower rank first.
    struct Merge {
        int left = -1;
        int right = 0;
        int rank = 0;
        int merged = 0;
    };

    // Room for so many merges; those before are forgotten.
    void reset(std::size_t merges) {
        slots_.assign(std::bit_ceil(2 * merges + 2), {});
        shift_ = 64 - std::countr_zero(slots_.size());
        added_ = 0;
    }
    // False where the two are joined already. Throws Error when there is no room left.
    bool add(const Merge& merge) {
        if (merge.left < 0 || merge.right < 0 || 2 * ++added_ > slots_.size())
            throw Error("merges: no room for one more, or a token that there is not");
        std::size_t slot = first_slot(merge.left, merge.right);
        for (; slots_[slot].left >= 0; slot = next_slot(slot))
            if (slots_[slot].left == merge.left && slots_[slot].right == merge.right) return false;
        slots_[slot] = merge;
        return true;
    }
    // A large table is outside the cache: says that this pair is asked for in a moment.
    void prefetch(int left, int right) const {
        __builtin_prefetch(&slots_[first_slot(left, right)]);
    }
    // Null where the two are not joined.
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
