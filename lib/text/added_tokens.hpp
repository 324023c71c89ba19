// Finds the added tokens of a tokenizer ("<|im_start|>", …) in a text. This is the first step of
// encoding; the text between added tokens is split and merged afterwards.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lib/text/marked_text.hpp"

namespace tbt {

// Finds the leftmost added token in a text. If several begin at the same byte, the longest counts.
class AddedTokens {
public:
    struct Token {
        std::string text;
        int id;
        bool special, lstrip, rstrip;
    };
    struct Match {
        std::size_t begin, end;  // bytes; with the white space that belongs to the token
        int id;
    };

    AddedTokens() = default;
    // No text may be empty or appear twice.
    explicit AddedTokens(std::vector<Token> tokens);
    AddedTokens(AddedTokens&&) noexcept = default;
    AddedTokens& operator=(AddedTokens&&) noexcept = default;

    // Whether special tokens are looked for. If so, those with a byte in one of the ranges
    // `as_text` (in ascending order) do not count: that part of the text is ordinary text.
    struct Special {
        bool wanted = true;
        std::span<const MarkedText::Range> as_text = {};
    };
    // The next added token that starts at `begin` or later. If there is none, the match begins and
    // ends at text.size() and has id −1.
    Match find(std::string_view text, std::size_t begin, const Special& special) const;
    bool empty() const { return tokens_.empty(); }

private:
    const Token* token_at(std::string_view text, std::size_t begin, const Special& special) const;

    std::vector<Token> tokens_;
    std::unordered_map<std::string_view, std::size_t> by_text_;
    std::array<std::vector<std::size_t>, 256> lengths_;  // by first byte: longest first
};

}  // namespace tbt
