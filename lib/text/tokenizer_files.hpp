// Reads the files of a tokenizer, and makes a Vocabulary from their content.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/core/index.hpp"
#include "lib/text/piece_encoder.hpp"
#include "lib/text/vocabulary.hpp"

namespace tbt {

class Json;

// The content of the files, as it is written there.
struct TokenizerFiles {
    struct Merge {
        int left, right;     // ids, or −1 − i for unknown[i]
        std::size_t number;  // the number of its line, or of its item in the list, from 1
    };
    struct AddedToken {
        std::string text;
        int id;
        bool special;
        bool lstrip = false, rstrip = false, single_word = false, normalized = false;
    };
    // Adds a text with this id, unless it has an id already. Returns the id that it has now.
    int add_token(std::string text, int id) {
        const std::size_t before = ids.size();
        tokens.emplace_back(std::move(text), id);
        const int own = ids.add(tokens.back().text, id);
        if (ids.size() == before) tokens.pop_back();
        return own;
    }
    // Files have mostly the vocabulary before the merges. So the parts of a merge are looked up at
    // once; unknown ones are kept as texts.
    void add_merge(std::string_view left, std::string_view right, std::size_t number) {
        merges.push_back({id_or_unknown(left), id_or_unknown(right), number});
    }
    std::string vocab_file;  // the file with the ids, for messages
    struct Token {
        Token(std::string t, int i) : text(std::move(t)), id(i) {}
        std::string text;  // as written in the file
        int id;
    };
    std::deque<Token> tokens;
    TokenIds ids;  // of the tokens
    std::vector<Merge> merges;
    std::vector<std::string> unknown;  // parts of merges that were not yet tokens when read
    std::string merge_place;           // "merges.txt: line", for messages
    std::vector<AddedToken> added;
    TextRules rules;                           // of tokenizer.json, or of the class
    std::map<std::string, std::string> named;  // "eos_token" → "<|endoftext|>"
    std::optional<bool> adds_bos, adds_eos;    // if given, decides instead of the rules

private:
    int id_or_unknown(std::string_view text) {
        if (const int* id = ids.find(text)) return *id;
        unknown.emplace_back(text);
        return -to_int(unknown.size());
    }
};

// Reads tokenizer.json or, if there is none, vocab.json and merges.txt; also the added and special
// tokens in tokenizer_config.json and, if that has no list of added tokens, in
// special_tokens_map.json and added_tokens.json. Throws Error if a file has a wrong form or
// describes a kind of tokenizer that is not supported.
TokenizerFiles read_tokenizer_files(const std::string& directory);

// The TextRules in a tokenizer.json: its normalizer, pre_tokenizer, decoder, post_processor and the
// options of its model. `json` is the whole file without the vocabulary and the merges. Throws
// Error "FILE: …" with the name of any setting that would give other ids or another text and is not
// supported.
TextRules read_text_rules(const Json& json, const std::string& file);
// Does this value of a tokenizer's file switch something on? Null: the value is missing.
bool is_on(const Json* value);

// The Vocabulary of these files, with the ids of its special tokens. Throws Error with the file if
// ids have gaps or are used twice, or if a merge or the name of a special token refers to a token
// that does not exist.
Vocabulary vocabulary_of(TokenizerFiles files);

}  // namespace tbt
