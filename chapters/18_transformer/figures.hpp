// Draws the pictures of chapter 18.
#pragma once

#include <string>

#include "chapters/18_transformer/plain_gpt.hpp"
#include "lib/core/tokenizer.hpp"

namespace tbt {

// The strongest head of each of four patterns, on a text: the larger an attention weight, the
// darker its square (SVG).
void write_heads(const std::string& file, const PlainGpt& gpt, const BytePairTokenizer& tokenizer);
// The whole model with the sizes of all its parts (SVG).
void write_machine(const std::string& file, const PlainGpt& gpt);

}  // namespace tbt
