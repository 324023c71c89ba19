// Exercise 21_01: who sees whom in a tree of guesses, and how deep a guess is.
//
// Guess i follows guess parents[i], which has a lower number; if parents[i] is −1, it follows the
// text.
//
//     depth(parents, i)      how many guesses precede guess i on its branch: 0 directly after the
//                            text
//     sees(parents, i, j)    does guess i see guess j? Yes if j is i itself, or precedes it on its
//                            branch: its parent, the parent of its parent, and so on
//
// Example: for the parents {−1, −1, 0, 1, 0}, the branch of guess 4 is 0, 4. Its depth is 1. It
// sees 0 and 4, but neither its sibling 2, nor 1 and 3, which are on another branch.
//
// i and j are guesses of the tree. index(i) converts i to the size_t that a vector wants.
//
// Write two functions, about 3 lines each. Check: make check EX=21_01
#pragma once

#include <vector>

#include "exercises/exercise.hpp"
#include "lib/core/index.hpp"

namespace tbt::ex21_01 {

inline int depth([[maybe_unused]] const std::vector<int>& parents, [[maybe_unused]] int i) {
    // >>> write here
    int steps = 0;
    for (int at = parents[index(i)]; at >= 0; at = parents[index(at)]) ++steps;
    return steps;
    // <<< to here
}

inline bool sees([[maybe_unused]] const std::vector<int>& parents, [[maybe_unused]] int i,
                 [[maybe_unused]] int j) {
    // >>> write here
    int at = i;
    while (at > j) at = parents[index(at)];
    return at == j;
    // <<< to here
}

}  // namespace tbt::ex21_01
