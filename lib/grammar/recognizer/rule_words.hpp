// Where a text is in a grammar, in words: the rules that are being read.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "lib/grammar/recognizer/grammar_recognizer.hpp"

namespace tbt {

// "root › date › month", for at most three derivations; rules without a name of their own are left
// out. Empty: nothing but the first rule is under way.
std::string rule_words(const GrammarRecognizer& recognizer, Recognizer::State state);

// The same for a text of a grammar in GBNF, small rules that the compiler writes out included.
// Throws as compile_gbnf.
std::function<std::string(std::string_view text)> words_of_gbnf(std::string_view grammar,
                                                                const std::string& name);

}  // namespace tbt
