// The picture of a small automaton.
#pragma once

#include <string>

#include "chapters/15_regular/demo.hpp"

namespace tbt {

// Circles and arrows, a column for each number of steps from the start; two circles: the text may
// end here (SVG). Errors: the file cannot be written.
void write_automaton(const std::string& file, const PlainAutomaton& automaton,
                     const std::string& title);

}  // namespace tbt
