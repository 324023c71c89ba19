// The sets of characters that regular expressions have names for: \d, \w, \s, \p{…}.
#pragma once

#include <string>

#include "lib/grammar/automata/code_points.hpp"

namespace tbt {

CodePointSet digits();
CodePointSet word();
CodePointSet line_ends();
CodePointSet space();

// The general categories of Unicode by their short and long names;
// one letter stands for a group of them. Empty: no such category.
CodePointSet category(const std::string& name);

}  // namespace tbt
