// What a tokenizer consists of; made by the trainer or read from files.
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
        bool special = true;  // not special: found in every text, asked or not
        // White space before (after) the token belongs to it, and is lost.
        bool lstrip = false, rstrip = false;
        bool normalized = false;  // looked for in the normalized text, normalized itself
    };
    std::vector<std::string> tokens;  // the bytes of each id
    // With symbols that are characters: each id as written in the files, "▁the" for " the".
    // Otherwise empty.
    std::vector<std::string> pieces;
    std::vector<Merge> merges;      // in the order in which they were learned
    std::vector<AddedToken> added;  // their bytes are the text as written
    std::optional<int> bos_id;
    std::optional<int> eos_id;
    TextRules rules;
};

}  // namespace tbt
