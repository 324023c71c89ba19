// Exercise 19_00: what does a text cost a model?
//
// p holds the probability that the model gave to each token of a text when the token came.
//
//     bits(p)                   the sum of −log2 of each: what the whole text costs
//     bits_per_byte(p, bytes)   this sum divided by the number of bytes of the text
//
// Example: a token with probability 1/4 costs 2 bits, one with 1/2 costs 1 bit, and a certain one
// costs nothing. So {1/4, 1/2, 1} cost 3 bits; if the text has 12 bytes, this is .25 bits a byte.
// The number of tokens plays no part in it.
//
// The probabilities are above 0, and bytes is at least 1. Compute in doubles.
//
// Write two functions, of about 3 lines and 1 line. Check: make check EX=19_00
#pragma once

#include <cmath>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex19_00 {

inline double bits([[maybe_unused]] const std::vector<double>& p) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

inline double bits_per_byte([[maybe_unused]] const std::vector<double>& p,
                            [[maybe_unused]] int bytes) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex19_00
