// The parts of chapter 14's program.
#pragma once

#include <string>

#include "chapters/14_grammar/plain_grammar.hpp"

namespace tbt {

// A sum of numbers: root ::= number | number "+" root, number ::= digit | digit number.
PlainGrammar sums();

// 1. Every way to read a text, byte by byte.
void show_derivations(const std::string& text);
// 2. A grammar of which a text has 2ⁿ derivations: each by itself, and shared.
void show_sharing();
// 3. The mask: what a vocabulary becomes after the beginnings of a text.
//    directory: of a tokenizer. Errors: no such file; the grammar is at fault.
void show_masks(const std::string& grammar, const std::string& directory);
// 4. What grammars become.
void show_sizes();

// The derivations after each byte of a text, and which comes from which (SVG). Errors: the file
// cannot be written.
void write_derivations(const std::string& file, const std::string& text);

}  // namespace tbt
