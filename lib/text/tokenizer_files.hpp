// What the files of a tokenizer say, as written there; tokenizer_load.hpp makes a Vocabulary of it.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace tbt {

struct TokenizerFiles {
    struct Merge {
        std::string left, right;
        std::size_t number;  // of its line or its place in the list, from 1 on
    };
    struct AddedToken {
        std::string text;
        int id;
        bool special;
    };
    std::string vocab_file;                    // where the ids come from, for messages
    std::unordered_map<std::string, int> ids;  // in the byte alphabet, added tokens as they are
    std::vector<Merge> merges;
    std::string merge_place;  // "merges.txt: line", for messages
    std::vector<AddedToken> added;
    std::map<std::string, std::string> named;  // "eos_token" → "<|endoftext|>"
};

// tokenizer.json, or else vocab.json, merges.txt and added_tokens.json;
// and the names in tokenizer_config.json and special_tokens_map.json.
// Throws Error on a file that cannot be understood, or asks for another kind of tokenizer.
TokenizerFiles read_tokenizer_files(const std::string& directory);

}  // namespace tbt
