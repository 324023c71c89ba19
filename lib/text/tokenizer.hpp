// Byte-pair encoding [Sennrich et al. 2016; Radford et al. 2019]: text to token ids and back.
//
// A text is split into pieces (text_splitter.hpp), and a piece into its bytes or characters. Then
// the neighbouring pair whose merge was learned first is joined, again and again, until no learned
// pair is left. Every byte is a token, so every string of bytes can be encoded. With GPT-2's rules,
// decoding returns the same bytes; other rules (vocabulary.hpp) may rewrite a text before it is
// encoded.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/text/marked_text.hpp"
#include "lib/text/normalizer.hpp"
#include "lib/text/vocabulary.hpp"

namespace tbt {

// How to encode special tokens ("<|endoftext|>") in a text. as_text: as ordinary characters, which
// is safe for text of unknown origin. parse: as the token. In both cases added tokens that are not
// special ("<think>") are tokens. none: no added tokens are recognised.
enum class SpecialTokens { as_text, parse, none };

class Tokenizer {
public:
    // Throws Error "NAME: …" unless all 256 bytes are tokens, ids are unique, and each merge makes
    // a token from two tokens.
    explicit Tokenizer(Vocabulary vocabulary, std::string name = "tokenizer");
    Tokenizer(Tokenizer&&) noexcept;
    Tokenizer& operator=(Tokenizer&&) noexcept;
    ~Tokenizer();

    // Loads the tokenizer of a model directory with tokenizer.json, or with vocab.json and
    // merges.txt (GPT-2's rules).
    static Tokenizer load(const std::string& directory);
    // Writes vocab.json, merges.txt, tokenizer.json, tokenizer_config.json and
    // special_tokens_map.json in transformers' format, each atomically. `context` is the model's
    // context in tokens; `chat_template`, in the language Jinja, says how a conversation becomes a
    // prompt. (A program that calls save() includes tokenizer_save.hpp.)
    void save(const std::string& directory, std::int64_t context,
              const std::string& chat_template = "") const;

    // The ids of a text, without tokens around it. The text may have any bytes. Several threads may
    // call this at the same time.
    std::vector<int> encode(std::string_view text, SpecialTokens special = SpecialTokens::as_text,
                            TextPlace place = TextPlace::beginning) const;
    // The ids of a text with the tokens that the model expects around it, often a BOS before it.
    std::vector<int> encode_prompt(std::string_view text) const;
    // Special tokens are encoded as tokens, except where a byte of theirs comes from a message.
    std::vector<int> encode_marked(const MarkedText& text) const;
    // The bytes of the tokens, joined. They may end or begin inside a UTF-8 character. Throws Error
    // for an unknown id.
    std::string decode(std::span<const int> ids) const;
    // The same as valid UTF-8, with U+FFFD for broken characters, as in transformers. skip_special
    // leaves out special tokens.
    std::string decode_text(std::span<const int> ids, bool skip_special = false) const;

    int vocab_size() const { return static_cast<int>(vocabulary_.tokens.size()); }
    std::string_view token_bytes(int id) const;
    bool is_special(int id) const;
    // <0x00> to <0xFF>: SentencePiece's tokens of single bytes, for what it has no piece for.
    bool is_byte_token(int id) const;
    // The id of the token with exactly these bytes; an added token ("<|endoftext|>") has
    // precedence.
    std::optional<int> id_of(std::string_view bytes) const;
    std::optional<int> bos_id() const { return vocabulary_.bos_id; }
    // The token that separates documents. Throws Error if there is none.
    int eos_id() const;
    const Vocabulary& vocabulary() const { return vocabulary_; }
    // Removes all tokens with this id or a higher one, if all of these are added tokens. Otherwise
    // it changes nothing and returns false. Some files have added tokens for which the model has no
    // embedding.
    bool drop_added_from(int id);

private:
    std::vector<int> encode_all(std::string_view text, SpecialTokens special, TextPlace place,
                                std::span<const MarkedText::Range> as_text) const;
    [[noreturn]] void fail(const std::string& what) const;
    struct Tables;  // for encoding: tokens by text, merges by pair, added tokens, patterns
    Tables& tables() const;

    std::string name_;
    Vocabulary vocabulary_;
    std::unique_ptr<Tables> tables_;  // null after a move
};

}  // namespace tbt
