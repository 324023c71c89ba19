// A parser of GBNF, the grammar notation of llama.cpp [grammars/README of that project].
//
//   root  ::= "yes" | "no" | number        # the text as a whole
//   number ::= "-"? [0-9]{1,3} ("." [0-9]+)?
//
// It has rules, "literals", [classes], [^negated classes], . for any character, ( groups ),
// | * + ? {m} {m,} {m,n} and # comments. Escapes: \n \t \r \\ \" \[ \] \xHH \uHHHH \UHHHHHHHH.
// A class or . matches one character, not one byte.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/grammar/automata/expression.hpp"
#include "lib/grammar/recognizer/grammar.hpp"

namespace tbt {

// The parsed rules; the first is called root.
struct NamedRules {
    std::vector<std::string> names;
    std::vector<Expression> bodies;
    // "NAME:LINE:COLUMN" where each rule is defined; empty if the rules come from elsewhere.
    std::vector<std::string> places;
};

// name: what messages call the text. Throws UsageError "NAME:LINE:COLUMN: what was expected".
NamedRules parse_gbnf(std::string_view text, const std::string& name = "grammar");

// Throws that, and what compile_rules throws; left recursion is reported with its place.
Grammar compile_gbnf(std::string_view text, const std::string& name = "grammar");

}  // namespace tbt
