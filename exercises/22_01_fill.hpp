// Exercise 22_01: fill the masked places, all at once and one after the other.
//
// A text is a row of tokens, in which `masked`, −1, marks a place whose token is still missing. The
// model is a function distribution(row, place): the probability of each token at a masked place,
// given the row. draw(p) returns a number i with probability p[i].
//
//     masked_places(row)                       the masked places, from left to right
//     fill_at_once(row, distribution, draw)    each masked place, from left to right, gets a token
//                                              drawn from its distribution, given the row as it was
//                                              at the beginning
//     fill_in_turn(row, distribution, draw)    each masked place, from left to right, gets a token
//                                              drawn from its distribution, given the row as it is
//                                              then
//
// Example: two places are masked, and the model knows New York (50 %), Los Angeles (30 %) and San
// Diego (20 %). fill_in_turn writes them that often; fill_at_once also writes New Diego. Tokens
// that are not masked stay as they are.
//
// Write three functions, of about 4, 3 and 2 lines. Check: make check EX=22_01
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex22_01 {

constexpr int masked = -1;
using Row = std::vector<int>;
using Distribution = std::function<std::vector<double>(const Row& row, std::size_t place)>;
using Draw = std::function<int(const std::vector<double>& p)>;

inline std::vector<std::size_t> masked_places([[maybe_unused]] const Row& row) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

inline void fill_at_once([[maybe_unused]] Row& row,
                         [[maybe_unused]] const Distribution& distribution,
                         [[maybe_unused]] const Draw& draw) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

inline void fill_in_turn([[maybe_unused]] Row& row,
                         [[maybe_unused]] const Distribution& distribution,
                         [[maybe_unused]] const Draw& draw) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex22_01
