// Exercise 26_2: predict the passes.
//
// All requests are there at the beginning and have prompts of one token, unless it says otherwise;
// a request for n tokens holds its slot for n passes. No function to invent: write the number, as
// in `return 7;`. With pencil and paper.
//
// Six answers. Check: make check EX=26_2
#pragma once

#include "exercises/exercise.hpp"

namespace tbt::ex26_2 {

// Five requests of 4 tokens, two slots, whole batches.
inline int equal_in_batches() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// The same, continuously.
inline int equal_continuously() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// Requests of 1, 8, 1 and 8 tokens, two slots, whole batches.
inline int mixed_in_batches() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// The same, continuously.
inline int mixed_continuously() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// Three texts write. A prompt of 100 tokens arrives, and a pass reads at most 23: how many passes,
// the one that gives its first token included?
inline int with_room_for_twenty() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// The same, with at most 4 tokens a pass.
inline int with_room_for_one() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex26_2
