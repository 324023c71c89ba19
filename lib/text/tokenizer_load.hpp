// From what the files of a tokenizer say to a Vocabulary: every id taken once, every name resolved.
#pragma once

#include "lib/text/tokenizer_files.hpp"
#include "lib/text/vocabulary.hpp"

namespace tbt {

// Throws Error, naming the file, where ids have gaps or collide and where merges or special names
// speak of tokens that are not there.
Vocabulary vocabulary_of(TokenizerFiles files);

}  // namespace tbt
