// Byte-pair encoding as GPT-2 has it [Sennrich et al. 2016; Radford et al. 2019]: text to token ids
// and back.
//
// A text is split into pieces (words, numbers, punctuation, white space: unicode.hpp), and a piece
// into its bytes. Then the neighbouring pair whose merge was learned first is joined, again and
// again, until no learned pair is left. Every byte is a token, so every string of bytes can be
// encoded, and decoding returns the same bytes.
//
// (The tokenizers of today's models: lib/text.)
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tbt {

class BytePairTokenizer {
public:
    // Reads DIRECTORY/vocab.json and merges.txt. Throws Error with the file unless all 256 bytes
    // are tokens, ids are 0 … n − 1, and each merge makes a token from two tokens.
    static BytePairTokenizer load(const std::string& directory);

    // The ids of a text, in which "<|endoftext|>" is nothing special. The text may have any bytes.
    std::vector<int> encode(std::string_view text) const;
    // The bytes of the tokens, joined. They may end or begin inside a UTF-8 character. Throws Error
    // for an unknown id.
    std::string decode(std::span<const int> ids) const;

    int vocab_size() const { return static_cast<int>(tokens_.size()); }
    std::string_view token_bytes(int id) const;
    // The id of the token with exactly these bytes.
    std::optional<int> id_of(std::string_view bytes) const;
    // The token that separates documents, "<|endoftext|>". Throws Error if there is none.
    int eos_id() const;

    // How two neighbouring tokens are joined; merges with a lower rank come first.
    struct Merge {
        int rank = 0, left = 0, right = 0, merged = 0;
    };
    // In the order of their ranks.
    const std::vector<Merge>& merges() const { return merges_; }

private:
    BytePairTokenizer() = default;
    [[noreturn]] void fail(const std::string& what) const;
    void read_vocabulary(const std::string& path);
    void read_merges(const std::string& path);
    void add_merge(std::string_view line, std::size_t number);
    int place_of(std::string_view visible, std::size_t line) const;
    const Merge* merge_of(int left, int right) const;
    void encode_piece(std::string_view piece, std::vector<int>& ids) const;

    std::string file_;                          // for messages
    std::vector<std::string> tokens_;           // the bytes of each id
    std::unordered_map<std::string, int> ids_;  // and back
    std::vector<int> byte_ids_;                 // (256) the token of each single byte
    std::vector<Merge> merges_;
    std::unordered_map<std::uint64_t, int> merge_of_;  // a pair of ids, and its rank
};

// GPT-2's byte alphabet. vocab.json and merges.txt are text files, so each byte of a token is
// written as a visible character. A byte that is a visible character in Latin-1 is written as that
// character; the other 68, in order, are U+0100, U+0101, …: a space is "Ġ", a new line "Ċ".
std::string visible_bytes(std::string_view bytes);
// The reverse. None if a character is not in the alphabet.
std::optional<std::string> bytes_of_visible(std::string_view visible);
// The 256 bytes in the order of their token ids in GPT-2: "!" is 0, a space is 220.
std::span<const unsigned char> byte_token_order();

}  // namespace tbt
