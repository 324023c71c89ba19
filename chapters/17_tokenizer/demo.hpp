// The parts of chapter 17's program.
#pragma once

#include <string>

#include "lib/core/tokenizer.hpp"

namespace tbt {

// 1. Letters, words, tokens: how long a text is in each, and how large a table each needs.
void show_units(const BytePairTokenizer& tokenizer, const std::string& text);
// 2. Merges learned from one sentence, step by step.
void show_learning(const std::string& sentence, int merges);
// Throws UsageError for what is cut into several pieces before anything is merged.
void check_word(const std::string& word);
// 3. One word cut as the encoder does it.
void show_encoding(const BytePairTokenizer& tokenizer, const std::string& word);
// 4. What goes wrong.
void show_mishaps(const BytePairTokenizer& tokenizer);
// 5. What a language costs.
void show_languages(const BytePairTokenizer& tokenizer);

// A text cut into coloured boxes, by one tokenizer or by two (SVG). Errors: no such file.
void write_cuts(const std::string& file, const std::string& text, const BytePairTokenizer& ours,
                const BytePairTokenizer* other);

}  // namespace tbt
