// White space between the parts of a JSON text.
#pragma once

#include <string>

#include "lib/grammar/recognizer/grammar.hpp"

namespace tbt {

// White space in a container: as the text likes, or exactly so.
struct Blanks {
    int most = 12;  // in a row where they are free, −1: any number
    bool free = true;
    std::string open, comma, colon, close;  // else: after "{", "," and ":", and before "}"
};

// Adds white space: at most so many characters, or any number (−1). Returns the node after it.
int add_blanks(Grammar& grammar, int from, int most);

}  // namespace tbt
