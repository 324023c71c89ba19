// Exercise 08_1: notice a loop while it begins, and penalise more.
//
// Of the last `window` tokens (n of them):
//
//     tokens     every id that occurs at least twice, with its count
//     bigrams    every pair of neighbours that occurs at least twice, with its count
//     longest    length of the longest passage that occurs at two different places;
//                they may overlap
//
//     severity = the mean of   (n − distinct tokens)/(n − 1),
//                              (n − 1 − distinct bigrams)/(n − 2),
//                              longest/(n − 1)
//
// each 0 for a text without repetition and 1 for one token over and over;
// n < 2 is 0, and at n = 2 the middle term is 0.
//
//     penalty = 1 + severity/2
//
// Write two functions, about 25 lines. Check: make check EX=08_1
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex08_1 {

struct Repetition {
    std::map<int, int> tokens;                   // id: how often
    std::map<std::pair<int, int>, int> bigrams;  // pair: how often
    std::size_t longest = 0;
    double severity = 0;
};

// 0 of 0 is 0.
inline double share(std::size_t part, std::size_t whole) {
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

inline Repetition check([[maybe_unused]] std::span<const int> ids,
                        [[maybe_unused]] std::size_t window) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

inline double adaptive_penalty([[maybe_unused]] double severity) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex08_1
