// Byte-level byte-pair encoding [Sennrich et al. 2016; Radford et al. 2019]:
// text to token ids and back.
//
// A piece of text (see pretokenizer.hpp) starts as its bytes; then the pair of neighbours
// whose merge was learned first is joined, again and again, until no learned pair is left.
// Every byte is a token, so every text, and every string of bytes, can be encoded,
// and decoding gives it back byte for byte.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lib/text/merge_table.hpp"
#include "lib/text/vocabulary.hpp"

namespace tbt {

class PieceEncoder;

// What to do with "<|endoftext|>" and the like in a text: ordinary characters (safe for text of
// unknown origin), or the token.
enum class SpecialTokens { as_text, parse };

class Tokenizer {
public:
    // Throws Error unless all 256 bytes are tokens, ids are unique, and each merge joins tokens
    // into a token. `name` stands in front of the messages.
    explicit Tokenizer(Vocabulary vocabulary, std::string name = "tokenizer");
    Tokenizer(Tokenizer&&) noexcept;
    Tokenizer& operator=(Tokenizer&&) noexcept;
    ~Tokenizer();

    // A model directory with tokenizer.json, or with vocab.json and merges.txt.
    static Tokenizer load(const std::string& directory);
    // Writes vocab.json, merges.txt, tokenizer.json, tokenizer_config.json and
    // special_tokens_map.json, as transformers does. context: the longest text of the model,
    // in tokens.
    // chat_template: see tokenizer_save.hpp; a program that saves includes that header.
    void save(const std::string& directory, std::int64_t context,
              const std::string& chat_template = "") const;

    // Any bytes will do. May be called by several threads at once.
    std::vector<int> encode(std::string_view text,
                            SpecialTokens special = SpecialTokens::as_text) const;
    // The bytes of the tokens, joined: not UTF-8 where a character was cut.
    // Throws Error on an unknown id.
    std::string decode(std::span<const int> ids) const;

    int vocab_size() const { return static_cast<int>(vocabulary_.tokens.size()); }
    std::string_view token_bytes(int id) const;
    bool is_special(int id) const;
    // The id of the token with exactly these bytes, an added one ("<|endoftext|>") first.
    std::optional<int> id_of(std::string_view bytes) const;
    std::optional<int> bos_id() const { return vocabulary_.bos_id; }
    // The token that separates documents. Throws Error when there is none.
    int eos_id() const;
    const Vocabulary& vocabulary() const { return vocabulary_; }

private:
    void check_vocabulary();
    void index_merges();
    std::unique_ptr<PieceEncoder> borrow_encoder() const;
    [[noreturn]] void fail(const std::string& what) const;

    std::string name_;
    Vocabulary vocabulary_;
    std::vector<int> byte_ids_;  // (256) the token of each single byte
    std::unordered_map<std::string_view, int> ids_, added_ids_;
    std::vector<bool> special_;  // (V)
    MergeTable merges_;

    // Scratch space with a cache of words. Each call of encode takes one out and puts it back.
    struct EncoderPool {
        std::mutex mutex;
        std::vector<std::unique_ptr<PieceEncoder>> free;
    };
    std::unique_ptr<EncoderPool> pool_;
};

}  // namespace tbt
