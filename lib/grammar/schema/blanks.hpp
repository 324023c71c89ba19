// White space between the symbols of a JSON text.
#pragma once

#include <string>

#include "lib/grammar/recognizer/grammar.hpp"

namespace tbt {

// The white space in a container: free (any, up to a limit), or fixed texts.
struct Blanks {
    int most = 12;  // if free: the most white space characters in a row; −1: any number
    bool free = true;
    // If not free: the text after "{" or "[", after ",", after ":", and before "}" or "]".
    std::string open, comma, colon, close;
};

// Adds free white space after the node `from`: at most `most` characters, or any number (−1).
// Returns the node after it.
int add_blanks(Grammar& grammar, int from, int most);

}  // namespace tbt
