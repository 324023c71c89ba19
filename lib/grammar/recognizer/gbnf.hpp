// GBNF, the grammar notation of llama.cpp [grammars/README of that project].
//
//   root  ::= "yes" | "no" | number        # the text as a whole
//   number ::= "-"? [0-9]{1,3} ("." [0-9]+)?
//
// Rules, "literals", [classes], [^negated] ones, . for any character, ( groups ), | * + ?
// {m} {m,} {m,n}, # comments. Escapes \n \t \r \\ \" \[ \] \xHH \uHHHH \UHHHHHHHH. Classes and .
// count characters, not bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/grammar/automata/expression.hpp"
#include "lib/grammar/recognizer/grammar.hpp"

namespace tbt {

// Rules as written; the first is called root.
struct NamedRules {
    std::vector<std::string> names;
    std::vector<Expression> bodies;
    std::vector<std::string>
        places;  // NAME:LINE:COLUMN where each is defined; none if they were made otherwise
};

// Throws UsageError "NAME:LINE:COLUMN: what was expected".
NamedRules parse_gbnf(std::string_view text, const std::string& name = "grammar");

Grammar compile_gbnf(std::string_view text, const std::string& name = "grammar");

}  // namespace tbt
