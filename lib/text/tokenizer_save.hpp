// The files of a tokenizer that transformers and llama.cpp's converter open.
#pragma once

#include <cstdint>
#include <string>

#include "lib/text/vocabulary.hpp"

namespace tbt {

// Writes vocab.json, merges.txt, tokenizer.json, tokenizer_config.json and special_tokens_map.json,
// each atomically. context: the longest text of the model, in tokens.
void save_vocabulary(const Vocabulary& vocabulary, const std::string& directory,
                     std::int64_t context);

}  // namespace tbt
