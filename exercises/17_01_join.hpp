// Exercise 17_01: one merge.
//
// A text is a row of pieces, and a merge joins two neighbours: wherever the piece `left` comes
// directly before the piece `right`, both are replaced by the one piece left + right. Go from left
// to right, and use each piece at most once. All other pieces stay as they are, in their order.
//
//     t h e o t h e r   with h, e    →   t he o t he r
//     a a a             with a, a    →   aa a           the first two are joined, one is left
//
// The neighbours must be exactly these two pieces: a bc is not the pair ab, c, though both spell
// "abc". No piece is empty.
//
// Write one function, about 5 lines. Check: make check EX=17_01
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex17_01 {

// Changes the pieces in place.
inline void join([[maybe_unused]] std::vector<std::string>& pieces,
                 [[maybe_unused]] const std::string& left,
                 [[maybe_unused]] const std::string& right) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex17_01
