// What the files of a tokenizer say, as written there; tokenizer_load.hpp makes a Vocabulary of it.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/index.hpp"
#include "lib/text/text_rules.hpp"
#include "lib/text/token_ids.hpp"

namespace tbt {

struct TokenizerFiles {
    struct Merge {
        int left, right;     // ids, or −1 − i of unknown[i]
        std::size_t number;  // of its line or its place in the list, from 1 on
    };
    struct AddedToken {
        std::string text;
        int id;
        bool special;
        bool lstrip = false, rstrip = false, normalized = false;
    };
    // The id of a text: this one, unless it has one already.
    int add_token(std::string text, int id) {
        const std::size_t before = ids.size();
        tokens.emplace_back(std::move(text), id);
        const int own = ids.add(tokens.back().text, id);
        if (ids.size() == before) tokens.pop_back();
        return own;
    }
    // Mostly the vocabulary is read before the merges, so that texts are ids at once.
    void add_merge(std::string_view left, std::string_view right, std::size_t number) {
        merges.push_back({id_or_unknown(left), id_or_unknown(right), number});
    }
    std::string vocab_file;  // where the ids come from, for messages
    struct Token {
        Token(std::string t, int i) : text(std::move(t)), id(i) {}
        std::string text;  // as written
        int id;
    };
    std::deque<Token> tokens;
    TokenIds ids;  // of the tokens
    std::vector<Merge> merges;
    std::vector<std::string> unknown;  // parts of merges that were no tokens when they were read
    std::string merge_place;           // "merges.txt: line", for messages
    std::vector<AddedToken> added;
    TextRules rules;                           // GPT-2's where there is no tokenizer.json
    std::map<std::string, std::string> named;  // "eos_token" → "<|endoftext|>"

private:
    int id_or_unknown(std::string_view text) {
        if (const int* id = ids.find(text)) return *id;
        unknown.emplace_back(text);
        return -to_int(unknown.size());
    }
};

// tokenizer.json, or else vocab.json, merges.txt and added_tokens.json;
// and the names in tokenizer_config.json and special_tokens_map.json.
// Throws Error on a file that cannot be understood, or asks for another kind of tokenizer.
TokenizerFiles read_tokenizer_files(const std::string& directory);

}  // namespace tbt
