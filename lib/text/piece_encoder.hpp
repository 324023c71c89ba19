// Byte-pair encoding of one text: cut into pieces, each merged by itself.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "lib/text/merge_table.hpp"

namespace tbt {

// Holds scratch space and a cache of words; for one thread at a time.
class PieceEncoder {
public:
    // byte_ids (256): the token of each single byte. Both must outlive the encoder's use.
    // Appends the ids of the text.
    void encode(const MergeTable& merges, std::span<const int> byte_ids, std::string_view text,
                std::vector<int>& ids);

private:
    // A natural text repeats its words: a piece of up to 30 bytes that became up to 8 tokens is
    // remembered until another one needs its slot. The key is the zero-padded piece with its length
    // in the last byte; a free slot's is 0.
    static constexpr std::size_t longest_word = 30, most_ids = 8;
    static constexpr int cache_bits = 14;
    using Key = std::array<std::uint64_t, 4>;
    struct CachedWord {
        Key key{};
        std::array<int, most_ids> ids{};  // −1 after the last
    };

    struct Symbol {
        int id;  // −1: joined to its left neighbour
        int previous, next;
    };
    struct PossibleMerge {
        const MergeTable::Merge* merge;
        int position;
        // The heap keeps its greatest element on top: the lowest rank, of equals the leftmost.
        bool operator<(const PossibleMerge& other) const {
            return merge->rank != other.merge->rank ? merge->rank > other.merge->rank
                                                    : position > other.position;
        }
    };

    void encode_piece(std::string_view piece, std::vector<int>& ids);
    void merge_piece(std::string_view piece, std::vector<int>& ids);
    void push_merge(int position);
    void join(const PossibleMerge& candidate);

    const MergeTable* merges_ = nullptr;
    std::span<const int> byte_ids_;
    std::vector<CachedWord> cache_{std::size_t{1} << cache_bits};
    std::vector<Symbol> symbols_;
    std::vector<PossibleMerge> heap_;
};

}  // namespace tbt
