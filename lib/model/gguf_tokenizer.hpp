// Builds the tokenizer that is stored in a GGUF file.
#pragma once

#include <string>

#include "lib/model/gguf_file.hpp"
#include "lib/text/tokenizer.hpp"

namespace tbt {

// Two kinds are supported; throws Error with the name of any other tokenizer.ggml.model.
//   "gpt2"   byte-level BPE; tokenizer.ggml.pre names the pattern that splits a text
//   "llama"  SentencePiece: BPE over characters; the scores of the tokens give the merges' ranks
Tokenizer gguf_tokenizer(const GgufFile& file);

// The name in tokenizer.ggml.pre for these rules. Throws Error "WHO: …" if GGUF has no name for
// them.
std::string gguf_pretokenizer(const TextRules& rules, const std::string& who);

// The types of tokens, as numbers in tokenizer.ggml.token_type.
namespace gguf_token {
inline constexpr int normal = 1, unknown = 2, control = 3, user = 4, unused = 5, byte = 6;
}

}  // namespace tbt
