// The pictures of chapter 18.
#pragma once

#include <string>

#include "chapters/18_transformer/plain_gpt.hpp"
#include "lib/text/tokenizer.hpp"

namespace tbt {

// The strongest head of four patterns, on a text: squares as dark as the share (SVG).
void write_heads(const std::string& file, const PlainGpt& gpt, const Tokenizer& tokenizer);
// The whole machine with the size of everything (SVG).
void write_machine(const std::string& file, const PlainGpt& gpt);

}  // namespace tbt
