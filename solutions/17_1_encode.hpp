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
    std::vector<std::string> pieces;
    for (const char byte : word) pieces.emplace_back(1, byte);
    while (true) {
        auto first = merges.end();
        for (std::size_t i = 0; i + 1 < pieces.size(); ++i)
            first = std::min(first, std::find(merges.begin(), merges.end(),
                                              std::pair(pieces[i], pieces[i + 1])));
        if (first == merges.end()) return pieces;
        std::vector<std::string> joined;
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            const bool here = i + 1 < pieces.size() && pieces[i] == first->first &&
                              pieces[i + 1] == first->second;
            joined.push_back(here ? pieces[i] + pieces[i + 1] : pieces[i]);
            if (here) ++i;
        }
        pieces = joined;
    }
    // <<< to here
}

}  // namespace tbt::ex17_1
