// Byte-pair encoding [Sennrich et al. 2016; Radford et al. 2019]: text to token ids and back.
//
// A text is split into pieces (text_splitter.hpp); a piece starts as its bytes, or its characters;
// then the pair of neighbours whose merge was learned first is joined, again and again, until no
// learned pair is left. Every byte is a token, so every string of bytes can be encoded.
// With GPT-2's rules decoding gives it back byte for byte; other rules (text_rules.hpp) may rewrite
// a text before it is encoded.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/text/marked_text.hpp"
#include "lib/text/normalizer.hpp"
#include "lib/text/token_index.hpp"
#include "lib/text/vocabulary.hpp"

namespace tbt {

class PieceEncoder;

// What to do with "<|endoftext|>" and the like in a text: ordinary characters (safe for text of
// unknown origin), or the token. Added tokens that are not special ("<think>") are tokens in both.
// none: no added token at all.
enum class SpecialTokens { as_text, parse, none };

class Tokenizer {
public:
    // Throws Error unless all 256 bytes are tokens, ids are unique, and each merge joins tokens
    // into a token. `name` stands in front of the messages.
    explicit Tokenizer(Vocabulary vocabulary, std::string name = "tokenizer");
    Tokenizer(Tokenizer&&) noexcept;
    Tokenizer& operator=(Tokenizer&&) noexcept;
    ~Tokenizer();

    // A model directory with tokenizer.json, or with vocab.json and merges.txt (GPT-2's rules).
    static Tokenizer load(const std::string& directory);
    // Writes vocab.json, merges.txt, tokenizer.json, tokenizer_config.json and
    // special_tokens_map.json, as transformers does. context: the longest text of the model,
    // in tokens.
    // chat_template: see tokenizer_save.hpp; a program that saves includes that header.
    void save(const std::string& directory, std::int64_t context,
              const std::string& chat_template = "") const;

    // The ids of a text, with nothing around it. Any bytes will do. May be called by several
    // threads at once.
    std::vector<int> encode(std::string_view text, SpecialTokens special = SpecialTokens::as_text,
                            TextPlace place = TextPlace::beginning) const;
    // With the tokens that the model expects around a text: a BOS in front, if it has one.
    std::vector<int> encode_prompt(std::string_view text) const;
    // Special tokens are tokens, but for those of which a message has written a byte.
    std::vector<int> encode_marked(const MarkedText& text) const;
    // The bytes of the tokens, joined: not UTF-8 where a character was cut.
    // Throws Error on an unknown id.
    std::string decode(std::span<const int> ids) const;
    // The same as UTF-8 with U+FFFD for what is broken, as transformers writes it; with or without
    // special tokens.
    std::string decode_text(std::span<const int> ids, bool skip_special = false) const;

    int vocab_size() const { return static_cast<int>(vocabulary_.tokens.size()); }
    std::string_view token_bytes(int id) const;
    bool is_special(int id) const;
    // The id of the token with exactly these bytes, an added one ("<|endoftext|>") first.
    std::optional<int> id_of(std::string_view bytes) const;
    std::optional<int> bos_id() const { return vocabulary_.bos_id; }
    // The token that separates documents. Throws Error when there is none.
    int eos_id() const;
    const Vocabulary& vocabulary() const { return vocabulary_; }
    // Takes the tokens from this id on out, if all of them are added ones; otherwise false, and
    // nothing changes. Some files have added tokens that their models have no row for.
    bool drop_added_from(int id);

private:
    std::vector<int> encode_all(std::string_view text, SpecialTokens special, TextPlace place,
                                std::span<const MarkedText::Range> as_text) const;
    void encode_stretch(std::string_view text, TextPlace place, const AddedTokens::Special& special,
                        bool any_added, PieceEncoder& encoder, std::vector<int>& ids) const;
    std::unique_ptr<PieceEncoder> borrow_encoder() const;
    [[noreturn]] void fail(const std::string& what) const;

    std::string name_;
    Vocabulary vocabulary_;
    TokenIndex index_;

    // Scratch space with a cache of words. Each call of encode takes one out and puts it back.
    struct EncoderPool {
        std::mutex mutex;
        std::vector<std::unique_ptr<PieceEncoder>> free;
    };
    std::unique_ptr<EncoderPool> pool_;
};

}  // namespace tbt
