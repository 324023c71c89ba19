// Exercise 25_02: rotary positions.
//
// A query or key x has D components, and D is even. Components i and i + D/2 are a pair: an arrow
// in the plane, which is turned by the angle position · f_i.
//
//     frequency(i, D, θ)            f_i = θ^(−2i/D)        i = 0 … D/2 − 1
//     rotated(x, position, θ)       y_i       = x_i cos − x_{i+D/2} sin
//                                   y_{i+D/2} = x_{i+D/2} cos + x_i sin
//
// Example: D = 4 and θ = 10,000 give f_0 = 1 and f_1 = 1/100. x = (1, 1, 0, 0) at position 1
// becomes (cos 1, cos .01, sin 1, sin .01) = (.5403, .99995, .8415, .0100). Position 0 turns
// nothing.
//
// Write two functions, of about 1 line and 8 lines. Check: make check EX=25_02
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex25_02 {

using Row = std::vector<double>;

inline double frequency([[maybe_unused]] std::size_t i, [[maybe_unused]] std::size_t D,
                        [[maybe_unused]] double theta) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

inline Row rotated([[maybe_unused]] const Row& x, [[maybe_unused]] int position,
                   [[maybe_unused]] double theta) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex25_02
