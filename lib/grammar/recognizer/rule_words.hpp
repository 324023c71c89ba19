// Says in words where a text is in a grammar: the names of the rules that are being read.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "lib/grammar/recognizer/grammar_recognizer.hpp"

namespace tbt {

// For example "root › date › month", for at most three derivations. Rules that the compiler has
// added are not named. Empty if only the root rule is being read.
std::string rule_words(const GrammarRecognizer& recognizer, Recognizer::State state);

// A function that does the same for a text of a grammar in GBNF, with the small rules that
// compile_gbnf would inline. name: what messages call the grammar. Throws as parse_gbnf.
std::function<std::string(std::string_view text)> words_of_gbnf(std::string_view grammar,
                                                                const std::string& name);

}  // namespace tbt
