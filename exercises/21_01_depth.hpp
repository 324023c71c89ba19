// Exercise 21_01: who sees whom in a tree of guesses, and how deep a guess is.
//
// Guess i comes after guess parents[i], which comes before it, or after the text where
// parents[i] is −1.
//
//     depth(parents, i)      how many guesses come before guess i on its branch: 0 after the text
//     sees(parents, i, j)    does guess i see guess j? If j is i itself, or comes before it on its
//                            branch: its parent, the parent of that, and so on
//
// By hand, parents {−1, −1, 0, 1, 0}: the branch of guess 4 is 0, 4. Its depth is 1; it sees 0 and
// 4, but not its sibling 2, nor 1 and 3, which are on another branch.
//
// i and j are guesses of the tree. index(i) is i as the size_t that a vector wants.
//
// Write two functions, about 3 lines each. Check: make check EX=21_01
#pragma once

#include <vector>

#include "exercises/exercise.hpp"
#include "lib/index.hpp"

namespace tbt::ex21_01 {

inline int depth([[maybe_unused]] const std::vector<int>& parents, [[maybe_unused]] int i) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

inline bool sees([[maybe_unused]] const std::vector<int>& parents, [[maybe_unused]] int i,
                 [[maybe_unused]] int j) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex21_01
