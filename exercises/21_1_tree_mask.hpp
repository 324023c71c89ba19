// Exercise 21_1: a tree of guesses in one pass: the position of each guess, and what it sees.
//
// After a text of L tokens, which lie in the cache, n guesses are read in one pass. Guess i comes
// after guess parents[i], which comes before it (parents[i] < i), or after the text where
// parents[i] is −1. The guesses of a chain come one after the other; in a tree several may come
// after the same one.
//
//     positions(parents, L)      the position of each guess: L + how many guesses come before it
//                                on its branch. Siblings have the same.
//     mask(parents, L)           n rows of L + n: may guess i look at column j? Columns 0 … L − 1
//                                are the text, column L + j is guess j. A guess sees the text, the
//                                guesses before it on its branch, and itself.
//     branch(parents, i)         the guesses of the branch that ends with guess i, first one first:
//                                the rows whose keys and values the cache keeps if it was right
//
// A parent that does not come before its guess, or is below −1; a guess that there is not: Error.
//
// Write three functions, about 20 lines. Check: make check EX=21_1
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "exercises/exercise.hpp"
#include "lib/error.hpp"

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
