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
    std::vector<int> at;
    for (int i = 0; i < static_cast<int>(parents.size()); ++i) {
        const int parent = parents[static_cast<std::size_t>(i)];
        if (parent < -1 || parent >= i)
            throw Error("tree: the parent of guess " + std::to_string(i) + " is " +
                        std::to_string(parent) + ", expected an earlier guess, or -1");
        at.push_back(parent < 0 ? text : at[static_cast<std::size_t>(parent)] + 1);
    }
    return at;
    // <<< to here
}

inline std::vector<int> branch([[maybe_unused]] const std::vector<int>& parents,
                               [[maybe_unused]] int guess) {
    // >>> write here
    positions(parents, 0);
    if (guess < 0 || guess >= static_cast<int>(parents.size()))
        throw Error("tree: there is no guess " + std::to_string(guess));
    std::vector<int> rows;
    for (int at = guess; at >= 0; at = parents[static_cast<std::size_t>(at)]) rows.push_back(at);
    std::reverse(rows.begin(), rows.end());
    return rows;
    // <<< to here
}

inline std::vector<std::vector<bool>> mask([[maybe_unused]] const std::vector<int>& parents,
                                           [[maybe_unused]] int text) {
    // >>> write here
    const auto L = static_cast<std::size_t>(text), n = parents.size();
    std::vector<std::vector<bool>> rows;
    for (std::size_t i = 0; i < n; ++i) {
        std::vector<bool> row(L + n, false);
        std::fill(row.begin(), row.begin() + text, true);
        for (const int seen : branch(parents, static_cast<int>(i)))
            row[L + static_cast<std::size_t>(seen)] = true;
        rows.push_back(row);
    }
    return rows;
    // <<< to here
}

}  // namespace tbt::ex21_1
