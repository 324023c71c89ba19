// Parses the grammar files. Pass 1 finds the tables, rules and genres with their lines; so in pass
// 2, which reads the alternatives, every name is known.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lib/corpus/tree.hpp"

namespace tbt::grammar {

// `files` are (name, contents). Throws tbt::Error for a mistake in the notation or an unknown name.
Tree parse(const std::vector<std::pair<std::string, std::string>>& files);

// Static checks of a grammar, before any expansion. For each genre it computes which rules are
// reachable and which tables each variable can come from, and checks that every {x.col} has its
// column. Because of {>x.col} the two depend on each other, so this is repeated until nothing is
// added.
//
// Throws tbt::Error for the first mistake: a variable that a genre uses but does not draw, a column
// that is missing, or a rule named by {>x.col} that does not exist.
void check(const Tree& tree);

// The rules and tables that no genre can reach, one line for each.
std::vector<std::string> unused(const Tree& tree);

}  // namespace tbt::grammar
