// Byte-pair encoding of one piece of a text: applies the merges in the order of their ranks. Two
// hash tables find a token by its text and a merge by its pair of tokens.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lib/core/error.hpp"

namespace tbt {

// Fibonacci hashing: the high bits of the product of the key and 2^64 / golden ratio depend on all
// bits of the key.
inline std::size_t slot_of(std::uint64_t key, int shift) {
    return (key ^ key >> 29) * 0x9e3779b97f4a7c15u >> shift;
}

// The merge of a pair of tokens. Open addressing; most look-ups need one probe.
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
    // If the pair has a merge already, the new one takes its place, as in the hub's tokenizers.
    // Throws Error if there is no room or an id is negative.
    void add(const Merge& merge) {
        if (merge.left < 0 || merge.right < 0 || 2 * ++added_ > slots_.size())
            throw Error("merges: there is no room for another merge, or its token does not exist");
        std::size_t slot = first_slot(merge.left, merge.right);
        while (slots_[slot].left >= 0 &&
               (slots_[slot].left != merge.left || slots_[slot].right != merge.right))
            slot = next_slot(slot);
        slots_[slot] = merge;
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

// The id of a token by its text. Open addressing, too. The table refers to the texts and does not
// copy them: they must outlive it at the same addresses.
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

// The parts of a vocabulary that encode() needs. Everything referred to must outlive its use.
struct PieceTokens {
    const MergeTable& merges;
    std::span<const int> byte_ids;  // (256) the token of each single byte
    // If merges join characters: the token of each character, by code point. A character without a
    // token becomes its bytes. Null if merges join bytes.
    const std::unordered_map<std::int32_t, int>* characters = nullptr;
    // A piece that is in this table becomes that token, and no merges are applied. Null: none.
    const TokenIds* whole = nullptr;
};

// Has scratch space and a cache of words. Use one for a single vocabulary, and in one thread at a
// time.
class PieceEncoder {
public:
    // Appends the ids of the piece.
    void encode(const PieceTokens& tokens, std::string_view piece, std::vector<int>& ids);

private:
    // Natural text repeats its words. So a piece of up to 30 bytes that became up to 8 tokens is
    // cached until another one needs its slot. The key is the piece, padded with zeros, with its
    // length in the last byte; the key of a free slot is 0.
    static constexpr std::size_t longest_word = 30, max_ids = 8;
    static constexpr int cache_bits = 14;
    using Key = std::array<std::uint64_t, 4>;
    struct CachedWord {
        Key key{};
        std::array<int, max_ids> ids{};  // −1 after the last one
    };

    struct Symbol {
        int id;  // −1: joined to its left neighbour
        int previous, next;
    };
    struct PossibleMerge {
        const MergeTable::Merge* merge;
        int position;
        // The heap has its greatest element on top, so that is the merge with the lowest rank, and
        // among equal ranks the leftmost.
        bool operator<(const PossibleMerge& other) const {
            return merge->rank != other.merge->rank ? merge->rank > other.merge->rank
                                                    : position > other.position;
        }
    };

    void start(std::string_view piece);
    void merge_piece(std::string_view piece, std::vector<int>& ids);
    void push_merge(int position);
    void join(const PossibleMerge& candidate);

    const PieceTokens* tokens_ = nullptr;  // the argument of the current call of encode()
    std::vector<CachedWord> cache_{std::size_t{1} << cache_bits};
    std::vector<Symbol> symbols_;
    std::vector<PossibleMerge> heap_;
};

}  // namespace tbt
