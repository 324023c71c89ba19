// The tokenizer in a GGUF file.
#pragma once

#include <string>

#include "lib/model/gguf_file.hpp"
#include "lib/text/tokenizer.hpp"

namespace tbt {

// tokenizer.ggml.model "gpt2" (symbols are bytes; tokenizer.ggml.pre names the pattern that splits
// a text) or "llama" (SentencePiece: symbols are characters; a merge's rank follows from the score
// of the token that it makes). Throws Error for others, by name.
Tokenizer gguf_tokenizer(const GgufFile& file);

// What tokenizer.ggml.pre calls these rules. Throws Error where GGUF has no name for them.
std::string gguf_pretokenizer(const TextRules& rules, const std::string& who);

// The kinds of tokens by their numbers in the format.
namespace gguf_token {
inline constexpr int normal = 1, unknown = 2, control = 3, user = 4, unused = 5, byte = 6;
}

}  // namespace tbt
