// Trains a byte-pair encoding: counts the pieces of the corpus, joins the most frequent
// neighbouring pair everywhere, and repeats this.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lib/text/tokenizer.hpp"

namespace tbt {

struct TokenizerOptions {
    int vocab_size = 4096;       // the 256 bytes, the merges and the special tokens together
    int max_token_bytes = 16;    // the maximum length of a token
    bool single_digits = true;   // no merge with an ASCII digit: numbers are spelled digit by digit
    std::int64_t min_count = 2;  // rarer pairs are not merged, so the vocabulary may stay smaller
    std::vector<std::string> special = {
        "<|endoftext|>"};  // the last ids; the first of them ends a document
};

// The result depends only on the texts (not on their order) and the options. If several pairs have
// the highest count, the one with the lowest left id is merged first, then the one with the lowest
// right id.
class TokenizerTrainer {
public:
    // Adds one document. Special tokens must not be part of the text.
    void add_text(std::string_view text);
    Tokenizer train(const TokenizerOptions& options = {}) const;

private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view s) const {
            return std::hash<std::string_view>{}(s);
        }
    };
    std::unordered_map<std::string, std::int64_t, Hash, std::equal_to<>> piece_counts_;
};

}  // namespace tbt
