// Checks a vocabulary and builds the tables for encoding: tokens by text, merges by pair, added
// tokens, patterns.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lib/text/added_tokens.hpp"
#include "lib/text/merge_table.hpp"
#include "lib/text/text_splitter.hpp"
#include "lib/text/token_ids.hpp"
#include "lib/text/vocabulary.hpp"

namespace tbt {

inline bool has_pieces(const Vocabulary& vocabulary) {
    return vocabulary.rules.symbols == TextRules::Symbols::characters;
}
// The form of a token that merges join: its piece if the vocabulary has pieces, otherwise its
// bytes.
const std::string& written(const Vocabulary& vocabulary, int id);

struct TokenIndex {
    // Throws Error "NAME: …" unless all 256 bytes are tokens, ids are unique, and each merge makes
    // a token from two tokens. The vocabulary's strings must outlive the index; the vocabulary
    // itself may be moved.
    TokenIndex(const Vocabulary& vocabulary, std::string name);

    std::vector<int> byte_ids;  // (256) the token of each single byte
    // By written(): ordinary tokens, and added tokens that are not special.
    TokenIds ids;
    TokenIds added_ids;                                // all added tokens, by their text
    std::unordered_map<std::int32_t, int> characters;  // by code point, if there are pieces
    std::vector<bool> special;                         // (V)
    MergeTable merges;
    AddedTokens raw_added, normalized_added;  // looked for before and after normalizing
    TextSplitter splitter;

private:
    void check(const Vocabulary& vocabulary);
    void check_added(const Vocabulary& vocabulary);
    void index_bytes(const Vocabulary& vocabulary);
    void index_characters(const Vocabulary& vocabulary);
    void index_added(const Vocabulary& vocabulary);
    // Adds to `neighbours`, unless it is null, the characters that merges join.
    void index_merges(const Vocabulary& vocabulary, JoinedCharacters* neighbours);
    [[noreturn]] void fail(const std::string& what) const;

    std::string name_;
};

}  // namespace tbt
