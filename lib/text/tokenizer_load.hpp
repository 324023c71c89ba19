// Makes a Vocabulary from the content of a tokenizer's files: checks that every id is used once and
// resolves the names of special tokens.
#pragma once

#include "lib/text/tokenizer_files.hpp"
#include "lib/text/vocabulary.hpp"

namespace tbt {

// Throws Error with the file if ids have gaps or are used twice, or if a merge or the name of a
// special token refers to a token that does not exist.
Vocabulary vocabulary_of(TokenizerFiles files);

}  // namespace tbt
