// The shortest texts of a regular language.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lib/grammar/automata/dfa.hpp"
#include "lib/grammar/automata/spelling.hpp"

namespace tbt {

// As many as are asked for, or all there are, by their bytes as they are spelled; of those that
// are as long, the letters a to z first. Throws TooLarge when they take more than `most_bytes`.
std::vector<std::string> shortest_texts(const Dfa& dfa, std::size_t many, Spelling spelling,
                                        std::size_t most_bytes);

}  // namespace tbt
