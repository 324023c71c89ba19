// Exercise 10_00: what does it cost to write several texts at once?
//
// n texts of G tokens each are written after the same prompt of P tokens, with a cache. The first
// pass reads the prompt and gives the first token of a text; each later pass reads one new token
// and gives the next; the last token is never read. So a text takes G passes over P + G − 1
// positions.
//
//     passes_alone(P, G, n), positions_alone(P, G, n):
//         one text after the other
//     passes_together(P, G, n), positions_together(P, G, n):
//         the prompt is read once for all texts; then each pass reads a new
//         token of every text
//
// Example, P = 4, G = 25, n = 3: alone 75 passes over 84 positions, together 25 over 76.
//
// P, G and n are at least 1. Write four functions, a line each. Check: make check EX=10_00
#pragma once

#include "exercises/exercise.hpp"

namespace tbt::ex10_00 {

inline long passes_alone([[maybe_unused]] long P, [[maybe_unused]] long G,
                         [[maybe_unused]] long n) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

inline long positions_alone([[maybe_unused]] long P, [[maybe_unused]] long G,
                            [[maybe_unused]] long n) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

inline long passes_together([[maybe_unused]] long P, [[maybe_unused]] long G,
                            [[maybe_unused]] long n) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

inline long positions_together([[maybe_unused]] long P, [[maybe_unused]] long G,
                               [[maybe_unused]] long n) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex10_00
