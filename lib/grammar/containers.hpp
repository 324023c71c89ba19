// A hash table that rarely allocates memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tbt {

// Mixes a value into a hash; similar values give very different hashes.
inline std::uint64_t mixed(std::uint64_t h, std::uint64_t v) {
    h = (h ^ v) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

// A hash table from small keys to non-negative numbers, with open addressing in one array. A step
// of a recognizer looks up and adds entries; memory is allocated only when the table doubles.
// Hash: std::uint64_t operator()(const Key&) const.
template <class Key, class Hash>
class FlatMap {
public:
    static constexpr int none = -1;

    // The number of the key, or none.
    int find(const Key& key) const {
        if (slots_.empty()) return none;
        return slots_[place_of(key)].value;
    }
    // The number of the key. A key that is not in the table is added with the number `fresh`.
    int find_or_add(const Key& key, int fresh) {
        if (4 * (size_ + 1) > 3 * slots_.size()) grow();
        Slot& slot = slots_[place_of(key)];
        if (slot.value == none) slot = {key, fresh}, ++size_;
        return slot.value;
    }
    void set(const Key& key, int value) {
        if (4 * (size_ + 1) > 3 * slots_.size()) grow();
        Slot& slot = slots_[place_of(key)];
        size_ += slot.value == none;
        slot = {key, value};
    }
    std::size_t size() const { return size_; }
    std::size_t memory() const { return slots_.capacity() * sizeof(Slot); }  // in bytes
    void clear() { slots_ = {}, size_ = 0; }
    // Empties the table for the next use. Keeps its memory, unless that is much more than was used.
    void reset() {
        if (slots_.size() > 64 * (size_ + 16)) slots_ = {};
        else if (size_ > 0) std::fill(slots_.begin(), slots_.end(), Slot());
        size_ = 0;
    }

private:
    struct Slot {
        Key key{};
        int value = none;
    };

    // The slot of the key, or the empty slot where it would go: linear probing from its hash.
    std::size_t place_of(const Key& key) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t at = static_cast<std::size_t>(Hash()(key)) & mask;
        while (slots_[at].value != none && !(slots_[at].key == key)) at = (at + 1) & mask;
        return at;
    }
    void grow() {
        std::vector<Slot> old(slots_.empty() ? 16 : 2 * slots_.size());
        old.swap(slots_);
        for (const Slot& slot : old)
            if (slot.value != none) slots_[place_of(slot.key)] = slot;
    }

    std::vector<Slot> slots_;  // their number is a power of two
    std::size_t size_ = 0;
};

struct WordHash {
    std::uint64_t operator()(std::uint64_t word) const { return mixed(1, word); }
};
using WordMap = FlatMap<std::uint64_t, WordHash>;

}  // namespace tbt
