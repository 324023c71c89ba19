// Exercise 26_01: share out a pass.
//
// `unread` has a number for each text that holds a slot, the oldest text first: how many tokens of
// its prompt are not read yet. 0 means that the whole prompt is read and the text is being written.
// The pass may read `budget` tokens.
//
// 1. Each text that is being written takes one token, always.
// 2. What is left goes to the prompts, the oldest first. Each prompt takes as much as it can use.
//
// Example: unread {30, 0, 5, 0} and a budget of 16 give {14, 1, 0, 1}; a budget of 40 gives {30, 1,
// 5, 1}. The budget is at least the number of texts.
//
// Write one function, about 7 lines. Check: make check EX=26_01
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex26_01 {

// The tokens of each text in this pass.
inline std::vector<int> share_out([[maybe_unused]] const std::vector<int>& unread,
                                  [[maybe_unused]] int budget) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex26_01
