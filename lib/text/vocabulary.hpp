// The data of a tokenizer: tokens, merges, added tokens and rules. It comes from the trainer or
// from files.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tbt {

// The rules of a tokenizer besides its vocabulary and merges: what it does to a text before and
// after byte-pair encoding, as in tokenizer.json. The defaults are GPT-2's: no normalizer, GPT-2's
// pattern, no tokens added around the text.
struct TextRules {
    // What merges join. bytes: the 256 bytes (GPT-2, Llama 3, Qwen, …). characters: characters,
    // with "▁" for a space; a character without a token becomes its bytes, "<0xE2>" and so on
    // (SentencePiece with byte fallback: Llama 2, Mistral, Gemma).
    enum class Symbols { bytes, characters };

    // A step that rewrites the text. It is applied to each stretch of text between added tokens.
    struct Normalizer {
        enum class Kind {
            nfc,  // Unicode's composed form; the next three: its other normal forms
            nfd,
            nfkc,
            nfkd,
            lowercase,      // each letter by itself
            strip_accents,  // removes combining marks
            strip_left,     // removes white space at the beginning
            strip_right,    // … at the end
            prepend,        // puts `to` before every stretch that is not empty
            prepend_once,   // the same, unless the stretch begins with `to` already
            prepend_first,  // the same, and only at the beginning of the whole text
            replace         // replaces each `from` by `to`
        } kind = Kind::nfc;
        std::string from = {}, to = {};  // for replace; `to` for all kinds of prepend
    };

    // A step that splits the pieces of the step before it into smaller pieces. No token crosses the
    // border of a piece.
    struct Split {
        enum class Kind {
            gpt2,     // GPT-2's pattern
            cl100k,   // Llama 3's and Qwen's pattern, which differ in max_digits (0: no limit)
            digits,   // every match of \p{N}{1,max_digits} is a piece of its own
            literal,  // splits at the text `pattern`
            regex     // splits at matches of the regular expression `pattern` (PCRE2)
        } kind = Kind::gpt2;
        // What happens to a match (for literal and regex).
        enum class Behavior { isolated, removed, merged_with_previous, merged_with_next };
        int max_digits = 0;
        std::string pattern = {};
        Behavior behavior = Behavior::isolated;
        bool invert = false;  // the text between matches counts as the match
    };

    Symbols symbols = Symbols::bytes;
    std::vector<Normalizer> normalizers = {};
    std::vector<Split> splits = {Split{}};
    // If a whole piece is in the vocabulary, it becomes that token, and no merges are applied.
    bool ignore_merges = false;
    // decode() removes one space at the beginning, which a prepend step added.
    bool strips_first_space = false;
    // The token ids that the model expects before and after a text (TemplateProcessing); often a
    // BOS before it.
    std::vector<int> before = {}, after = {};

    bool is_gpt2() const {
        return symbols == Symbols::bytes && normalizers.empty() && splits.size() == 1 &&
               splits[0].kind == Split::Kind::gpt2 && !ignore_merges && !strips_first_space &&
               before.empty() && after.empty();
    }
};

struct Vocabulary {
    struct Merge {
        int left = 0;
        int right = 0;
    };
    struct AddedToken {
        int id = 0;
        bool special = true;  // false: recognised with SpecialTokens::as_text, too
        // White space before (lstrip) or after (rstrip) the token is removed with it.
        bool lstrip = false, rstrip = false;
        bool single_word = false;  // does not count beside a letter, digit or "_"
        bool normalized = false;   // its normalized form is looked for in the normalized text
    };
    std::vector<std::string> tokens;  // the bytes of each id
    // If merges join characters: each token as written in the files, "▁the" for " the". Otherwise
    // empty.
    std::vector<std::string> pieces;
    std::vector<Merge> merges;      // in the order in which they were learned
    std::vector<AddedToken> added;  // tokens[id] is their text as written
    std::optional<int> bos_id;
    std::optional<int> eos_id;
    TextRules rules;
};

inline bool has_pieces(const Vocabulary& vocabulary) {
    return vocabulary.rules.symbols == TextRules::Symbols::characters;
}
// The form of a token that merges join: its piece if the vocabulary has pieces, otherwise its
// bytes.
const std::string& written(const Vocabulary& vocabulary, int id);

// ---- pieces -------------------------------------------------------------------------------------
// SentencePiece's notation: "▁" is a space, "<0xE2>" is a byte.
inline constexpr std::string_view written_space = "\u2581";

// "<0x0A>" for 10. A negative char is taken as its unsigned byte.
std::string byte_piece(int byte);
// written_piece() converts " the" to "▁the". bytes_of_piece() converts back, and "<0x0A>" to the
// byte 10.
std::string written_piece(std::string_view text);
std::string bytes_of_piece(std::string_view piece);

// The text with each `from` replaced by `to`; the text itself if `from` is empty.
std::string replace_all(std::string_view text, std::string_view from, std::string_view to);

}  // namespace tbt
