// Byte-pair encoding of one piece of a text: applies the merges in the order of their ranks.
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
