// What a tokenizer does to a text before and after byte-pair encoding, as tokenizer.json describes
// it. The default is GPT-2's: no normalizer, GPT-2's pattern, no token around the text.
#pragma once

#include <string>
#include <vector>

namespace tbt {

struct TextRules {
    // bytes: the symbols that merges join are the 256 bytes (GPT-2, Llama 3, Qwen, …).
    // characters: they are characters, a space written as "▁"; one that has no token becomes its
    // bytes, "<0xE2>" and so on (SentencePiece with byte fallback: Llama 2, Mistral, Gemma).
    enum class Symbols { bytes, characters };

    // Steps that rewrite the text. They see the text between two added tokens.
    struct Normalizer {
        enum class Kind {
            nfc,            // Unicode's composed form
            prepend,        // `to` in front of every text that is not empty
            prepend_once,   // … unless it begins with `to` already
            prepend_first,  // … and only at the beginning of the whole text
            replace         // each `from` by `to`
        } kind = Kind::nfc;
        std::string from = {}, to = {};
    };

    // Steps that split the text into pieces, each step the pieces of the one before.
    // No token crosses a border.
    struct Split {
        enum class Kind {
            gpt2,     // GPT-2's pattern
            cl100k,   // Llama 3's and Qwen's, which differ in most_digits (0: any number)
            digits,   // \p{N}{1,most_digits} is a piece of its own
            literal,  // where `pattern` occurs
            regex     // where the regular expression `pattern` matches, by PCRE2
        } kind = Kind::gpt2;
        // What becomes of a match (literal and regex).
        enum class Behavior { isolated, removed, merged_with_previous, merged_with_next };
        int most_digits = 0;
        std::string pattern = {};
        Behavior behavior = Behavior::isolated;
        bool invert = false;  // what does not match is the match
    };

    Symbols symbols = Symbols::bytes;
    std::vector<Normalizer> normalizers = {};
    std::vector<Split> splits = {Split{}};
    // A whole piece that is in the vocabulary is that token, whatever the merges make of it.
    bool ignore_merges = false;
    // decode() drops one space at the beginning, the one that a prepend step added.
    bool strips_first_space = false;
    // The tokens that the model expects around a text (TemplateProcessing): mostly a BOS in front.
    std::vector<int> before = {}, after = {};

    bool is_gpt2() const {
        return symbols == Symbols::bytes && normalizers.empty() && splits.size() == 1 &&
               splits[0].kind == Split::Kind::gpt2 && !ignore_merges && !strips_first_space &&
               before.empty() && after.empty();
    }
};

}  // namespace tbt
