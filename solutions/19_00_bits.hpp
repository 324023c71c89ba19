// Exercise 19_00: what does a text cost a model?
//
// p has the probability that the model gave to each token of a text, when it came.
//
//     bits(p)                   −log2 of each, added up: what the whole text costs
//     bits_per_byte(p, bytes)   that, divided by the bytes of the text
//
// By hand: a token with probability 1/4 costs 2 bits, one with 1/2 costs 1 and a certain one
// nothing. {1/4, 1/2, 1} cost 3 bits; if the text has 12 bytes, .25 bits a byte. How the text was
// cut into tokens has no part in that.
//
// The probabilities are above 0, bytes is at least 1. In doubles.
//
// Write two functions, about 3 lines and 1. Check: make check EX=19_00
#pragma once

#include <cmath>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex19_00 {

inline double bits([[maybe_unused]] const std::vector<double>& p) {
    // >>> write here
    double sum = 0;
    for (const double x : p) sum -= std::log2(x);
    return sum;
    // <<< to here
}

inline double bits_per_byte([[maybe_unused]] const std::vector<double>& p,
                            [[maybe_unused]] int bytes) {
    // >>> write here
    return bits(p) / bytes;
    // <<< to here
}

}  // namespace tbt::ex19_00
