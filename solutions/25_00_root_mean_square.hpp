// Exercise 25_00: how long is a row?
//
//     rms(x) = √(mean of x²)
//
// Example: (3, 4) has the squares 9 and 16; their mean is 12.5, and its root is 3.5355. (−3, 4) has
// the same rms: signs do not count. A row of equal numbers a has rms |a|. x has at least one
// number.
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
    double sum = 0;
    for (const double v : x) sum += v * v;
    return std::sqrt(sum / static_cast<double>(x.size()));
    // <<< to here
}

}  // namespace tbt::ex25_00
