// Exercise 07_3: a cache that never grows: attention sinks and a window [Xiao et al. 2024].
//
// A KV cache keeps every token, so memory and time grow with the text.
// A window keeps the last W tokens, and the text falls apart once the first tokens leave:
// attention has learned to put the weight that it does not need on them. If you keep these few
// tokens (the sinks), the text goes on for millions of tokens:
//
//     token t, the t-th from 0, sees the first S tokens (sinks)
//     and the last W, itself included
//
// 1. seen_by(t): what token t sees, ascending. As long as t < S + W that is everything up to t.
// 2. place_of(j, t): the position the model is told for token j when it writes token t: its place
//    within seen_by(t), not in the text, or positions would outgrow what the model was trained on.
//    With the paper's example: S = 4, W = 4, t = 9 sees 0 1 2 3 6 7 8 9 at the places 0 … 7.
//    An unseen j is an Error.
// 3. slot_of(t): the memory has S + W slots and nothing is ever moved. Sinks lie in the first S,
//    the others go round and round in the rest, each over the oldest one.
// 4. dot_products(n): how many keys n tokens, one after the other, meet in all:
//    Σ_{t<n} |seen_by(t)|, without a loop, since n may be a million.
//
// S >= 0, W >= 1, 0 <= t, and t may be some millions. Write four functions, about 20 lines.
// Check: make check EX=07_3
//
// (The models of this course have learned a vector for each position, so they cannot do this;
// chapter 09 slides their context instead.)
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "exercises/exercise.hpp"
#include "lib/core/error.hpp"

namespace tbt::ex07_3 {

struct Window {
    int sinks = 4, window = 4;  // S and W
};

inline std::vector<int> seen_by([[maybe_unused]] const Window& cache, [[maybe_unused]] int t) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

inline int place_of([[maybe_unused]] const Window& cache, [[maybe_unused]] int j,
                    [[maybe_unused]] int t) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

inline int slot_of([[maybe_unused]] const Window& cache, [[maybe_unused]] int t) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

inline std::int64_t dot_products([[maybe_unused]] const Window& cache,
                                 [[maybe_unused]] std::int64_t n) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex07_3
