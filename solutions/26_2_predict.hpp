// Exercise 26_2: predict the passes.
//
// Unless a question says otherwise, all requests are there at the beginning, and their prompts have
// one token. A request for n tokens holds its slot for n passes. There is no function to invent:
// write the number, as in `return 7;`. Use pencil and paper.
//
// Give six answers. Check: make check EX=26_2
#pragma once

#include "exercises/exercise.hpp"

namespace tbt::ex26_2 {

// Five requests of 4 tokens, two slots, whole batches.
inline int equal_in_batches() {
    // >>> write here
    return 12;
    // <<< to here
}

// The same, with continuous batching.
inline int equal_continuously() {
    // >>> write here
    return 12;
    // <<< to here
}

// Requests of 1, 8, 1 and 8 tokens, two slots, whole batches.
inline int mixed_in_batches() {
    // >>> write here
    return 16;
    // <<< to here
}

// The same, with continuous batching.
inline int mixed_continuously() {
    // >>> write here
    return 10;
    // <<< to here
}

// Three texts are being written. A prompt of 100 tokens arrives; a pass reads at most 23 tokens.
// How many passes does the prompt take, including the one that gives its first token?
inline int with_room_for_twenty() {
    // >>> write here
    return 5;
    // <<< to here
}

// The same, with at most 4 tokens a pass.
inline int with_room_for_one() {
    // >>> write here
    return 100;
    // <<< to here
}

}  // namespace tbt::ex26_2
