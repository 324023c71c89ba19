// The data of a tokenizer: tokens, merges, added tokens and rules. It comes from the trainer or
// from files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/text/text_rules.hpp"

namespace tbt {

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
        bool normalized = false;  // its normalized form is looked for in the normalized text
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

}  // namespace tbt
