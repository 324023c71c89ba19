// A hash table from the text of a token to its id. It uses open addressing; most look-ups need one
// probe.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "lib/text/merge_table.hpp"

namespace tbt {

// The table refers to the texts and does not copy them: they must outlive it at the same addresses.
class TokenIds {
public:
    // Makes room for this many tokens, so that the table need not grow while they are added.
    void reserve(std::size_t tokens) {
        if (slots_.size() < 2 * tokens) grow(std::bit_ceil(2 * tokens + 2));
    }
    // Adds a text with this id, unless it has one already. Returns the id that it has now.
    int add(std::string_view text, int id) {
        if (2 * ++size_ > slots_.size()) grow(2 * slots_.size());
        Slot& slot = slots_[place_of(text)];
        if (slot.data) {
            --size_;
            return slot.id;
        }
        slot = {word_at(text, 0), text.data(), static_cast<std::uint32_t>(text.size()), id};
        return id;
    }
    // The id of a text, or null if there is no such token.
    const int* find(std::string_view text) const {
        const Slot& slot = slots_[place_of(text)];
        return slot.data ? &slot.id : nullptr;
    }
    // Prefetches the slot of a text that find() will soon look up: a large table is not in the
    // processor's cache.
    void prefetch(std::string_view text) const { __builtin_prefetch(&slots_[first_place(text)]); }
    std::size_t size() const { return size_; }

private:
    struct Slot {
        std::uint64_t head = 0;  // the first 8 bytes; most tokens have no more
        const char* data = nullptr;
        std::uint32_t size = 0;
        int id = 0;
    };
    // The 8 bytes that begin at `at`, padded with zeros after the end of the text.
    static std::uint64_t word_at(std::string_view text, std::size_t at) {
        std::uint64_t word = 0;
        if (at == text.size()) return word;
        std::memcpy(&word, text.data() + at, std::min(text.size() - at, sizeof word));
        return word;
    }
    std::size_t first_place(std::string_view text) const {
        std::uint64_t hash = word_at(text, 0) ^ text.size() * 0xff51afd7ed558ccdu;
        for (std::size_t i = sizeof hash; i < text.size(); i += sizeof hash)
            hash = (std::rotl(hash, 23) ^ word_at(text, i)) * 0xff51afd7ed558ccdu;
        return slot_of(hash, shift_);
    }
    // The slot of this text, or the free slot where it would be added.
    std::size_t place_of(std::string_view text) const {
        const std::uint64_t head = word_at(text, 0);
        const auto is_text = [&](const Slot& slot) {
            return slot.head == head && slot.size == text.size() &&
                   (text.size() <= sizeof head ||
                    std::memcmp(slot.data, text.data(), text.size()) == 0);
        };
        std::size_t slot = first_place(text);
        while (slots_[slot].data && !is_text(slots_[slot])) slot = (slot + 1) & (slots_.size() - 1);
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
