// Writes the files of a tokenizer in the format that transformers and llama.cpp's converter read.
#pragma once

#include <cstdint>
#include <string>

#include "lib/text/vocabulary.hpp"

namespace tbt {

// Writes vocab.json, merges.txt, tokenizer.json, tokenizer_config.json and special_tokens_map.json,
// each atomically. `context` is the model's context in tokens. `chat_template` is a template in the
// language Jinja that says how a conversation becomes a prompt; empty: none.
void save_vocabulary(const Vocabulary& vocabulary, const std::string& directory,
                     std::int64_t context, const std::string& chat_template = "");

// A token as written in the files: added tokens as they are, all others in the byte alphabet.
std::string written_token(const Vocabulary& vocabulary, int id);

}  // namespace tbt
