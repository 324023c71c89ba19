// The named character classes of regular expressions: \d, \w, \s, \p{…}.
#pragma once

#include <string>

#include "lib/grammar/automata/code_points.hpp"

namespace tbt {

CodePointSet digits();     // \d
CodePointSet word();       // \w
CodePointSet line_ends();  // the characters that . does not match
CodePointSet space();      // \s

// The characters of a general category of Unicode, by its short or long name. One letter names a
// group of categories. The set is empty if there is no such category.
CodePointSet category(const std::string& name);

}  // namespace tbt
