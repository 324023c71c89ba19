// Reading the grammar files: pass 1 finds the tables, rules and genres with their lines, so that
// pass 2 can read the alternatives with every name known.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "chapters/19_training/corpus/corpus_tree.hpp"

namespace tbt::grammar {

// Files as (name, contents). Throws tbt::Error for anything wrong in the notation or an unknown
// name.
Tree parse(const std::vector<std::pair<std::string, std::string>>& files);

}  // namespace tbt::grammar
