#include "lib/text/piece_encoder.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <string>

#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"

namespace tbt {

void PieceEncoder::encode(const PieceTokens& tokens, std::string_view piece,
                          std::vector<int>& ids) {
    if (piece.empty()) return;
    check_size("piece encoder: byte_ids", tokens.byte_ids.size(), 256);
    tokens_ = &tokens;
    if (piece.size() > longest_word) {
        merge_piece(piece, ids);
        return;
    }
    Key key{};
    std::memcpy(key.data(), piece.data(), piece.size());
    key[3] |= static_cast<std::uint64_t>(piece.size())
              << (std::endian::native == std::endian::little ? 56 : 0);
    std::uint64_t mixed = 0;
    for (const std::uint64_t word : key)
        mixed = (std::rotl(mixed, 23) ^ word) * 0xff51afd7ed558ccdu;
    CachedWord& slot = cache_[slot_of(mixed, 64 - cache_bits)];
    if (slot.key != key) {
        const std::size_t before = ids.size();
        merge_piece(piece, ids);
        const std::size_t count = ids.size() - before;
        if (count > max_ids) return;
        slot.key = key;
        slot.ids.fill(-1);
        std::copy_n(ids.end() - static_cast<std::ptrdiff_t>(count), count, slot.ids.begin());
        return;
    }
    for (std::size_t i = 0; i < max_ids && slot.ids[i] >= 0; ++i) ids.push_back(slot.ids[i]);
}

// Byte-pair encoding with a linked list of symbols and a heap of candidate merges. It takes
// O(n log n) steps for n bytes.
void PieceEncoder::merge_piece(std::string_view piece, std::vector<int>& ids) {
    if (piece.size() > index(std::numeric_limits<int>::max() / 2)) {
        throw Error("tokenizer: a word of " + std::to_string(piece.size()) +
                    " bytes is too long, expected at most 2^30");
    }
    if (tokens_->whole) {
        if (const int* token = tokens_->whole->find(piece)) {
            ids.push_back(*token);
            return;
        }
    }
    start(piece);
    for (int i = 0; i + 1 < count(symbols_); ++i) push_merge(i);
    while (!heap_.empty()) {
        const PossibleMerge best = heap_.front();
        std::pop_heap(heap_.begin(), heap_.end());
        heap_.pop_back();
        join(best);
    }
    for (int i = symbols_.empty() ? -1 : 0; i >= 0; i = at(symbols_, i).next) {
        ids.push_back(at(symbols_, i).id);
    }
    if (symbols_.capacity() > std::size_t{1} << 20)
        symbols_ = {}, heap_ = {};  // release the megabytes of a long word
}

// The symbols before any merge: bytes or characters.
void PieceEncoder::start(std::string_view piece) {
    symbols_.clear();
    heap_.clear();
    const auto add = [&](int id) {
        const int i = count(symbols_);
        symbols_.push_back({id, i - 1, i + 1});
    };
    for (std::size_t i = 0; i < piece.size();) {
        std::size_t end = i + 1;
        if (tokens_->characters) {
            const CodePoint c = decode_utf8(piece, i);
            end = i + index(c.length);
            const auto token = tokens_->characters->find(c.value);
            if (token != tokens_->characters->end()) {
                add(token->second);
                i = end;
            }
        }
        for (; i < end; ++i) add(tokens_->byte_ids[static_cast<unsigned char>(piece[i])]);
    }
    if (!symbols_.empty()) symbols_.back().next = -1;
}

void PieceEncoder::push_merge(int position) {
    const Symbol& left = at(symbols_, position);
    const Symbol& right = at(symbols_, left.next);
    if (const MergeTable::Merge* merge = tokens_->merges.find(left.id, right.id)) {
        heap_.push_back({merge, position});
        std::push_heap(heap_.begin(), heap_.end());
    }
}

void PieceEncoder::join(const PossibleMerge& candidate) {
    // The candidate is outdated if one of its two symbols has been joined to another since.
    Symbol& left = at(symbols_, candidate.position);
    if (left.id != candidate.merge->left || left.next < 0) return;
    Symbol& right = at(symbols_, left.next);
    if (right.id != candidate.merge->right) return;
    left.id = candidate.merge->merged;
    left.next = right.next;
    right.id = -1;
    if (left.next >= 0) {
        at(symbols_, left.next).previous = candidate.position;
        push_merge(candidate.position);
    }
    if (left.previous >= 0) push_merge(left.previous);
}

}  // namespace tbt
