// A set of tokens as one bit each, and its application to a row of logits.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "error.hpp"

namespace tbt {

class TokenMask {
public:
    TokenMask() = default;
    explicit TokenMask(int vocabulary)
        : size_(vocabulary), words_((static_cast<std::size_t>(vocabulary) + 63) / 64) {}

    int size() const { return size_; }
    void set(int id) { words_[word(id)] |= bit(id); }
    bool test(int id) const { return id >= 0 && id < size_ && (words_[word(id)] & bit(id)) != 0; }

    int count() const {
        int n = 0;
        for (const std::uint64_t w : words_) n += std::popcount(w);
        return n;
    }
    // The only token in the set; −1 when there are none or several.
    int only() const {
        int found = -1;
        for (std::size_t i = 0; i < words_.size(); ++i) {
            if (words_[i] == 0) continue;
            if (found >= 0 || !std::has_single_bit(words_[i])) return -1;
            found = static_cast<int>(i * 64) + std::countr_zero(words_[i]);
        }
        return found;
    }
    bool operator==(const TokenMask&) const = default;

    // s_i ← −∞ for every token that is not in the set. Logits beyond the tokenizer's vocabulary (some models
    // pad) are masked too.
    void apply(std::span<float> logits) const {
        if (logits.size() < static_cast<std::size_t>(size_)) {
            throw Error("mask: " + std::to_string(logits.size()) + " logits, expected at least one for each of " +
                        std::to_string(size_) + " tokens");
        }
        constexpr float masked = -std::numeric_limits<float>::infinity();
        const std::size_t whole = static_cast<std::size_t>(size_) / 64;
        for (std::size_t i = 0; i < whole; ++i) {
            float* s = logits.data() + i * 64;
            if (words_[i] == 0) std::fill(s, s + 64, masked);
            if (words_[i] == 0 || ~words_[i] == 0) continue;
            apply_half(static_cast<std::uint32_t>(words_[i]), s);
            apply_half(static_cast<std::uint32_t>(words_[i] >> 32), s + 32);
        }
        for (std::size_t id = whole * 64; id < logits.size(); ++id) {
            if (!test(static_cast<int>(id))) logits[id] = masked;
        }
    }

private:
    // Thirty-two logits. A bit becomes a number of only ones or only zeros, which chooses between the bits of s
    // and those of −∞: no branch, so the compiler makes SIMD of it.
    static void apply_half(std::uint32_t bits, float* s) {
        constexpr auto minus_infinity = std::bit_cast<std::uint32_t>(-std::numeric_limits<float>::infinity());
        for (std::uint32_t j = 0; j < 32; ++j) {
            const std::uint32_t chosen = 0u - (bits >> j & 1u);
            s[j] =
                std::bit_cast<float>((std::bit_cast<std::uint32_t>(s[j]) & chosen) | (minus_infinity & ~chosen));
        }
    }
    static std::size_t word(int id) { return static_cast<std::size_t>(id) / 64; }
    static std::uint64_t bit(int id) { return std::uint64_t{1} << (static_cast<unsigned>(id) % 64); }

    int size_ = 0;
    std::vector<std::uint64_t> words_;
};

}  // namespace tbt
