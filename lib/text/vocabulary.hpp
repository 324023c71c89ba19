// What a tokenizer consists of; made by the trainer or read from files.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tbt {

struct Vocabulary {
    struct Merge {
        int left = 0;
        int right = 0;
    };
    struct AddedToken {
        int id = 0;
        bool special = true;  // not special: found in every text, asked or not
    };
    std::vector<std::string> tokens;  // the bytes of each id
    std::vector<Merge> merges;        // in the order in which they were learned
    // Never the result of a merge; their bytes are the text as written.
    std::vector<AddedToken> added;
    std::optional<int> bos_id;
    std::optional<int> eos_id;
};

}  // namespace tbt
