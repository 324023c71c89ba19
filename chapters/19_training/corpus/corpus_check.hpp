// Static checks of a grammar, before any expansion. For each genre it computes which rules are
// reachable and which tables each variable can come from, and checks that every {x.col} has its
// column. Because of {>x.col} the two depend on each other, so this is repeated until nothing is
// added.
#pragma once

#include <string>
#include <vector>

#include "chapters/19_training/corpus/corpus_tree.hpp"

namespace tbt::grammar {

// Throws tbt::Error for the first mistake: a variable that a genre uses but does not draw, a column
// that is missing, or a rule named by {>x.col} that does not exist.
void check(const Tree& tree);

// The rules and tables that no genre can reach, one line for each.
std::vector<std::string> unused(const Tree& tree);

}  // namespace tbt::grammar
