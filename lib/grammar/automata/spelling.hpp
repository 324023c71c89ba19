// How code points are written in bytes, as UTF-8 or inside a JSON string, and how an automaton over
// code points becomes a grammar over bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/grammar/automata/dfa.hpp"
#include "lib/grammar/recognizer/grammar.hpp"

namespace tbt {

enum class Spelling {
    utf8,  // as UTF-8
    json,  // as UTF-8 inside a JSON string; escaped only if it must be: \n, \u001f
};
// The byte sequences that spell the members of a set.
std::vector<ByteSequence> spell(const CodePointSet& set, Spelling spelling);
// The shortest spelling of one code point, six bytes at most. Throws Error for a surrogate.
std::string shortest_spelling(std::int32_t c, Spelling spelling);

// Adds the language of the automaton after the node `from`; returns the node after it.
int add_dfa(Grammar& grammar, const Dfa& dfa, int from, Spelling spelling);

// The language as a grammar with one rule, in UTF-8.
Grammar grammar_of(const Dfa& dfa);

}  // namespace tbt
