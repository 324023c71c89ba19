// A set of tokens with one bit for each token of the vocabulary, and its application to logits.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/kernels/bit_mask.hpp"

namespace tbt {

class TokenMask {
public:
    TokenMask() = default;
    explicit TokenMask(int vocabulary) : size_(vocabulary) {
        check_at_least("mask: vocabulary", vocabulary, 0);
        words_.resize((static_cast<std::size_t>(vocabulary) + 63) / 64);
    }

    int size() const { return size_; }
    void set(int id) {
        checked_id("mask", id, static_cast<std::size_t>(size_));
        words_[word(id)] |= bit(id);
    }
    void reset(int id) {
        checked_id("mask", id, static_cast<std::size_t>(size_));
        words_[word(id)] &= ~bit(id);
    }
    void clear() { std::fill(words_.begin(), words_.end(), 0); }
    // Calls visit(token) for each token of the set, in ascending order.
    template <class Visit>
    void each(Visit&& visit) const {
        for (std::size_t i = 0; i < words_.size(); ++i) {
            for (std::uint64_t w = words_[i]; w != 0; w &= w - 1)
                visit(static_cast<int>(i * 64) + std::countr_zero(w));
        }
    }
    bool test(int id) const { return id >= 0 && id < size_ && (words_[word(id)] & bit(id)) != 0; }

    int count() const {
        int n = 0;
        for (const std::uint64_t w : words_) n += std::popcount(w);
        return n;
    }
    // The only token in the set; −1 if there are none or several.
    int only() const {
        int found = -1;
        for (std::size_t i = 0; i < words_.size(); ++i) {
            if (words_[i] == 0) continue;
            if (found >= 0 || !std::has_single_bit(words_[i])) return -1;
            found = static_cast<int>(i * 64) + std::countr_zero(words_[i]);
        }
        return found;
    }
    // Adds the tokens of the other set. Throws Error if the sizes of the two sets differ, as the
    // next four functions do.
    TokenMask& operator|=(const TokenMask& other) {
        check_like(other);
        for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
        return *this;
    }
    // Adds the tokens that are both in a and in b.
    void add_common(const TokenMask& a, const TokenMask& b) {
        check_like(a), check_like(b);
        for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= a.words_[i] & b.words_[i];
    }
    // Removes the tokens that are in the other set.
    void remove(const TokenMask& other) {
        check_like(other);
        for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= ~other.words_[i];
    }
    // Adds the tokens that are in a and in b but not in c.
    void add_common_but(const TokenMask& a, const TokenMask& b, const TokenMask& c) {
        check_like(a), check_like(b), check_like(c);
        for (std::size_t i = 0; i < words_.size(); ++i)
            words_[i] |= a.words_[i] & b.words_[i] & ~c.words_[i];
    }
    // The first token of this set that is in b but not in c; −1 if there is none.
    int first_of(const TokenMask& b, const TokenMask& c) const {
        check_like(b), check_like(c);
        for (std::size_t i = 0; i < words_.size(); ++i) {
            if (const std::uint64_t w = words_[i] & b.words_[i] & ~c.words_[i]; w != 0)
                return static_cast<int>(i * 64) + std::countr_zero(w);
        }
        return -1;
    }
    bool operator==(const TokenMask&) const = default;

    // Sets the logit of every token that is not in the set to −∞. Logits beyond the tokenizer's
    // vocabulary (some models pad theirs) are masked too. Throws Error if there are fewer logits
    // than tokens.
    void apply(std::span<float> logits) const {
        if (logits.size() < static_cast<std::size_t>(size_)) {
            throw Error("mask: " + std::to_string(logits.size()) +
                        " logits, expected at least one for each of " + std::to_string(size_) +
                        " tokens");
        }
        const std::size_t whole = static_cast<std::size_t>(size_) / 64;
        mask_logits(logits.first(whole * 64), std::span(words_).first(whole));
        for (std::size_t id = whole * 64; id < logits.size(); ++id) {
            if (!test(static_cast<int>(id))) logits[id] = -std::numeric_limits<float>::infinity();
        }
    }

private:
    void check_like(const TokenMask& other) const {
        check_size("mask: another", other.words_.size(), words_.size());
    }
    static std::size_t word(int id) { return static_cast<std::size_t>(id) / 64; }
    static std::uint64_t bit(int id) {
        return std::uint64_t{1} << (static_cast<unsigned>(id) % 64);
    }

    int size_ = 0;
    std::vector<std::uint64_t> words_;
};

}  // namespace tbt
