// Code points as they are written, in bytes; languages of code points as grammars of bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/grammar/automata/dfa.hpp"
#include "lib/grammar/recognizer/grammar.hpp"

namespace tbt {

// How a code point is written.
enum class Spelling {
    utf8,  // as itself
    json,  // inside a JSON string, in the one usual way: itself, \n, \u001f
};
std::vector<ByteSequence> spell(const CodePointSet& set, Spelling spelling);
// One code point in the fewest bytes, twelve at most. Throws Error for a surrogate.
std::string shortest_spelling(std::int32_t c, Spelling spelling);

// Adds the language after `from`; returns the node after it.
int add_dfa(Grammar& grammar, const Dfa& dfa, int from, Spelling spelling);

// The language as a grammar of one rule.
Grammar grammar_of(const Dfa& dfa);

}  // namespace tbt
