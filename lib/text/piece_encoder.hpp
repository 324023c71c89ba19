// Byte-pair encoding of one piece of a text.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lib/text/merge_table.hpp"
#include "lib/text/token_ids.hpp"

namespace tbt {

// What pieces are encoded with. All of it must outlive its use.
struct PieceTokens {
    const MergeTable& merges;
    std::span<const int> byte_ids;  // (256) the token of each single byte
    // Where symbols are characters: their tokens, by code point. A character that is not among
    // them becomes its bytes. Null: symbols are bytes.
    const std::unordered_map<std::int32_t, int>* characters = nullptr;
    // A piece in here is that token, whatever merges make of it. Null: there are no such pieces.
    const TokenIds* whole = nullptr;
};

// Holds scratch space and a cache of words; for one vocabulary, and one thread at a time.
class PieceEncoder {
public:
    // Appends the ids of the piece.
    void encode(const PieceTokens& tokens, std::string_view piece, std::vector<int>& ids);

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

    void start(std::string_view piece);
    void merge_piece(std::string_view piece, std::vector<int>& ids);
    void push_merge(int position);
    void join(const PossibleMerge& candidate);

    const PieceTokens* tokens_ = nullptr;  // of the piece that is being encoded
    std::vector<CachedWord> cache_{std::size_t{1} << cache_bits};
    std::vector<Symbol> symbols_;
    std::vector<PossibleMerge> heap_;
};

}  // namespace tbt
