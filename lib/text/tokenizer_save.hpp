// The files of a tokenizer that transformers and llama.cpp's converter open.
#pragma once

#include <cstdint>
#include <string>

#include "lib/text/vocabulary.hpp"

namespace tbt {

// Writes vocab.json, merges.txt, tokenizer.json, tokenizer_config.json and special_tokens_map.json,
// each atomically. context: the longest text of the model, in tokens. chat_template: how programs
// are to write a conversation for the model, in the template language Jinja; empty: none.
void save_vocabulary(const Vocabulary& vocabulary, const std::string& directory,
                     std::int64_t context, const std::string& chat_template = "");

// A token as the files have it: added ones as they are, all others in the byte alphabet.
std::string written_token(const Vocabulary& vocabulary, int id);

}  // namespace tbt
