// What can be known before expanding. For each genre: which rules can it reach, which tables can
// each variable hold there, and does every {x.col} find its column. {>x.col} makes reach and tables
// depend on each other, so the walk is repeated until nothing is added.
#pragma once

#include <string>
#include <vector>

#include "chapters/19_training/corpus/corpus_tree.hpp"

namespace tbt::grammar {

// Is every variable that a genre uses drawn in it, has it the column, are the rules that {>x.col}
// names there? Throws tbt::Error for the first mistake.
void check(const Tree& tree);

// Rules and tables that no genre can reach, a line each.
std::vector<std::string> unused(const Tree& tree);

}  // namespace tbt::grammar
