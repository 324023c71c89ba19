// Exercise 22_2: fill the easy places first, and keep the distribution.
//
// Chapter 22's sampler by confidence draws a token at every masked place, and keeps the token that
// was most probable. So probable tokens get two chances, and the texts have a different
// distribution. If you choose the place before you draw, from what is known so far, the
// distribution stays the same, whatever the order.
//
// distribution(row, place) is the probability of each token at a place, given a row in which masked
// places hold `masked`, −1. draw(p) returns a number i with probability p[i].
//
//     most_certain(row, distribution)      the masked place whose largest probability is largest,
//                                          the leftmost of several; nothing masked: Error
//     fill(row, distribution, draw)        while a place is masked, the most certain one gets a
//                                          token drawn from its distribution, given the row as it
//                                          is then
//     fill_least(row, distribution, draw)  the same, but the least certain place comes first: the
//                                          one whose largest probability is smallest, the leftmost
//                                          of several
//
// Write three functions, about 25 lines. Check: make check EX=22_2
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "exercises/exercise.hpp"
#include "lib/core/error.hpp"

namespace tbt::ex22_2 {

constexpr int masked = -1;
using Row = std::vector<int>;
using Distribution = std::function<std::vector<double>(const Row& row, std::size_t place)>;
using Draw = std::function<int(const std::vector<double>& p)>;

inline std::size_t most_certain([[maybe_unused]] const Row& row,
                                [[maybe_unused]] const Distribution& distribution) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

inline void fill([[maybe_unused]] Row& row, [[maybe_unused]] const Distribution& distribution,
                 [[maybe_unused]] const Draw& draw) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

inline void fill_least([[maybe_unused]] Row& row, [[maybe_unused]] const Distribution& distribution,
                       [[maybe_unused]] const Draw& draw) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex22_2
