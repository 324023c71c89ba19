// Draws a small automaton as an SVG picture.
#pragma once

#include <string>

#include "chapters/15_regular/demo.hpp"

namespace tbt {

// States are circles, with a column for the most steps from the start; a double circle means
// that the text may end there. Throws if the file cannot be written.
void write_automaton(const std::string& file, const PlainAutomaton& automaton,
                     const std::string& title);

}  // namespace tbt
