// How a tokenizer is written in files that transformers and llama.cpp's converter read:
// Tokenizer::save().
#pragma once

#include <string>

#include "lib/text/vocabulary.hpp"

namespace tbt {

// A token as written in the files: added tokens as they are, all others in the byte alphabet.
std::string written_token(const Vocabulary& vocabulary, int id);

}  // namespace tbt
