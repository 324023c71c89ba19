// The parts of chapter 14's program.
#pragma once

#include <string>

#include "chapters/14_grammar/plain_grammar.hpp"

namespace tbt {

// A sum of numbers: root ::= number | number "+" root, number ::= digit | digit number.
PlainGrammar sums();

// 1. All derivations of a text, byte by byte.
void show_derivations(const std::string& text);
// 2. A grammar in which texts of n bytes have 2ⁿ derivations: counted one by one, and shared.
void show_sharing();
// 3. The mask: which tokens of a vocabulary may come after each beginning of a text. directory: the
//    tokenizer's. Throws UsageError if a file is missing or the grammar is faulty.
void show_masks(const std::string& grammar, const std::string& directory);
// 4. All grammars of the course: their rules, nodes and shortest texts.
void show_sizes();

// Draws the derivations after each byte of a text and which comes from which (SVG). Throws if the
// file cannot be written.
void write_derivations(const std::string& file, const std::string& text);

}  // namespace tbt
