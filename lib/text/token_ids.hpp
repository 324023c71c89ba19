// Ids by the text of their tokens: open addressing, one probe mostly.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "lib/text/merge_table.hpp"

namespace tbt {

// The texts are not copied: they must outlive the table, in their places.
class TokenIds {
public:
    // Room for so many, without another look at those that are there.
    void reserve(std::size_t tokens) {
        if (slots_.size() < 2 * tokens) grow(std::bit_ceil(2 * tokens + 2));
    }
    // The id that this text has from now on: another one, where it had one before.
    int add(std::string_view text, int id) {
        if (2 * ++size_ > slots_.size()) grow(2 * slots_.size());
        Slot& slot = slots_[place_of(text)];
        if (slot.data) {
            --size_;
            return slot.id;
        }
        slot = {text.data(), text.size(), id};
        return id;
    }
    // Null where there is no such token.
    const int* find(std::string_view text) const {
        const Slot& slot = slots_[place_of(text)];
        return slot.data ? &slot.id : nullptr;
    }
    std::size_t size() const { return size_; }

private:
    struct Slot {
        const char* data = nullptr;
        std::size_t size = 0;
        int id = 0;
    };
    // Its slot, or the free one where it belongs.
    std::size_t place_of(std::string_view text) const {
        std::size_t slot = slot_of(std::hash<std::string_view>{}(text), shift_);
        while (slots_[slot].data && std::string_view(slots_[slot].data, slots_[slot].size) != text)
            slot = (slot + 1) & (slots_.size() - 1);
        return slot;
    }
    void grow(std::size_t size) {
        std::vector<Slot> old(size);
        old.swap(slots_);
        shift_ = 64 - std::countr_zero(size);
        for (const Slot& slot : old)
            if (slot.data) slots_[place_of({slot.data, slot.size})] = slot;
    }

    std::vector<Slot> slots_ = std::vector<Slot>(2);
    int shift_ = 63;
    std::size_t size_ = 0;
};

}  // namespace tbt
