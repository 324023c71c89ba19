// The rules of a tokenizer besides its vocabulary and merges: what it does to a text before and
// after byte-pair encoding, as in tokenizer.json. The defaults are GPT-2's: no normalizer, GPT-2's
// pattern, no tokens added around the text.
#pragma once

#include <string>
#include <vector>

namespace tbt {

struct TextRules {
    // What merges join. bytes: the 256 bytes (GPT-2, Llama 3, Qwen, …). characters: characters,
    // with "▁" for a space; a character without a token becomes its bytes, "<0xE2>" and so on
    // (SentencePiece with byte fallback: Llama 2, Mistral, Gemma).
    enum class Symbols { bytes, characters };

    // A step that rewrites the text. It is applied to each stretch of text between added tokens.
    struct Normalizer {
        enum class Kind {
            nfc,            // Unicode's composed form
            prepend,        // puts `to` before every stretch that is not empty
            prepend_once,   // the same, unless the stretch begins with `to` already
            prepend_first,  // the same, and only at the beginning of the whole text
            replace         // replaces each `from` by `to`
        } kind = Kind::nfc;
        std::string from = {}, to = {};
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

}  // namespace tbt
