// Exercise 25_00, a warm-up: how long is a row?
//
//     rms(x) = √(mean of x²)
//
// By hand: (3, 4) has the squares 9 and 16, their mean is 12.5, its root 3.5355. (−3, 4) has the
// same: signs do not count. A row of equal numbers a has rms |a|. x has one number at least.
//
// Write one function, about 3 lines. Check: make check EX=25_00
#pragma once

#include <cmath>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex25_00 {

using Row = std::vector<double>;

inline double rms([[maybe_unused]] const Row& x) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex25_00
