// Exercise 21_1: a tree of guesses in one pass: the position of each guess, and what it sees.
//
// A text of L tokens is in the cache, and n guesses after it are read in one pass. Guess i follows
// guess parents[i], which has a lower number (parents[i] < i); if parents[i] is −1, it follows the
// text. In a chain each guess follows the one before it; in a tree several guesses may follow the
// same one.
//
//     positions(parents, L)      the position of each guess: L plus the number of guesses that
//                                precede it on its branch. Siblings have the same position.
//     mask(parents, L)           n rows of L + n: may guess i look at this column? Columns 0 …
//                                L − 1 are the text, column L + j is guess j. A guess sees the
//                                text, the guesses that precede it on its branch, and itself.
//     branch(parents, i)         the guesses of the branch that ends with guess i, the first one
//                                first. If guess i was right, the cache keeps the keys and values
//                                of these rows.
//
// Error: a parent that is neither an earlier guess nor −1; an i that is no guess.
//
// Write three functions, about 20 lines. Check: make check EX=21_1
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "exercises/exercise.hpp"
#include "lib/core/error.hpp"

namespace tbt::ex21_1 {

inline std::vector<int> positions([[maybe_unused]] const std::vector<int>& parents,
                                  [[maybe_unused]] int text) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

inline std::vector<int> branch([[maybe_unused]] const std::vector<int>& parents,
                               [[maybe_unused]] int guess) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

inline std::vector<std::vector<bool>> mask([[maybe_unused]] const std::vector<int>& parents,
                                           [[maybe_unused]] int text) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex21_1
