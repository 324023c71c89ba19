// A parser of GBNF, the grammar notation of llama.cpp [grammars/README of that project].
//
//   root  ::= "yes" | "no" | number        # the text as a whole
//   number ::= "-"? [0-9]{1,3} ("." [0-9]+)?
//
// It has rules, "literals", [classes], [^negated classes], . for any character, ( groups ),
// | * + ? {m} {m,} {m,n} and # comments. Escapes: \n \t \r \\ \" \[ \] \xHH \uHHHH \UHHHHHHHH.
// A class or . matches one character, not one byte.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "lib/grammar/recognizer/compile.hpp"

namespace tbt {

// name: what messages call the text. Throws UsageError "NAME:LINE:COLUMN: what was expected".
NamedRules parse_gbnf(std::string_view text, const std::string& name = "grammar");

// Throws that, and what compile_rules throws; left recursion is reported with its place.
Grammar compile_gbnf(std::string_view text, const std::string& name = "grammar");

// A function that says in words where a text is in the grammar, as rule_words does. It also names
// the small rules that compile_gbnf would inline. Throws as parse_gbnf.
std::function<std::string(std::string_view text)> words_of_gbnf(std::string_view grammar,
                                                                const std::string& name);

}  // namespace tbt
