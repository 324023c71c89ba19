// Exercise 17_1: split a word as a byte-pair encoding does.
//
// `merges` lists pairs of neighbouring pieces in the order in which they were learned. A word
// starts as its single bytes. Then repeat, as long as any two neighbours are in the list: of all
// pairs that occur in the word, take the one that was learned first, and join it everywhere, from
// left to right.
//
//     merges {("l", "o"), ("lo", "w")}     "lowlo"  →  l o w l o  →  lo w lo  →  low lo
//
// In "aaa", the merge ("a", "a") joins the first two: "aa" "a". The pieces in a row always spell
// the word; an empty word has no pieces.
//
// Write one function, about 15 lines. Check: make check EX=17_1
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex17_1 {

using Merges = std::vector<std::pair<std::string, std::string>>;

inline std::vector<std::string> encode([[maybe_unused]] const std::string& word,
                                       [[maybe_unused]] const Merges& merges) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex17_1
