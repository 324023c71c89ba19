// The added tokens of a tokenizer ("<|im_start|>", …): looked for in a text before everything else.
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

// Finds the leftmost added token of a text, of several at one place the longest.
class AddedTokens {
public:
    struct Token {
        std::string text;
        int id;
        bool special, lstrip, rstrip;
    };
    struct Match {
        std::size_t begin, end;  // with the white space that belongs to the token
        int id;
    };

    AddedTokens() = default;
    // No text may be empty or appear twice.
    explicit AddedTokens(std::vector<Token> tokens);
    AddedTokens(AddedTokens&&) noexcept = default;
    AddedTokens& operator=(AddedTokens&&) noexcept = default;

    // Special tokens may be looked for or not, and not where one would have a byte in one of these
    // ranges (ascending): there the text is to be read as text.
    struct Special {
        bool wanted = true;
        std::span<const MarkedText::Range> as_text = {};
    };
    // The next one from `begin` on, or a match that begins and ends at text.size(), with id −1.
    Match find(std::string_view text, std::size_t begin, const Special& special) const;
    bool empty() const { return tokens_.empty(); }

private:
    const Token* token_at(std::string_view text, std::size_t begin, const Special& special) const;

    std::vector<Token> tokens_;
    std::unordered_map<std::string_view, std::size_t> by_text_;
    std::array<std::vector<std::size_t>, 256> lengths_;  // by first byte: longest first
};

}  // namespace tbt
