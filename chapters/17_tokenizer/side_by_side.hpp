// Part 6 of chapter 17's program: the tokenizers of several models, side by side.
#pragma once

#include <string>
#include <vector>

namespace tbt {

// What each does to a text, and how it cuts words, numbers, other languages and chat tokens.
// Errors: no such directory, or no tokenizer in it.
void show_side_by_side(const std::vector<std::string>& directories);

}  // namespace tbt
