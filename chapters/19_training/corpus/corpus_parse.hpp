// Parses the grammar files. Pass 1 finds the tables, rules and genres with their lines; so in pass
// 2, which reads the alternatives, every name is known.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "chapters/19_training/corpus/corpus_tree.hpp"

namespace tbt::grammar {

// `files` are (name, contents). Throws tbt::Error for a mistake in the notation or an unknown name.
Tree parse(const std::vector<std::pair<std::string, std::string>>& files);

}  // namespace tbt::grammar
