// Exercise 20_01: a ruler for a row of numbers.
//
// A number is stored as the nearest mark of a ruler, whose marks are −127 … 127.
//
//     scale_of(x)     the distance of two neighbouring marks: the largest |x_k|, divided by 127
//     mark_of(v, s)   the mark nearest to v: v / s, rounded to the nearest whole number. A half
//                     goes to the even one (std::nearbyint does this). 0 if s is 0.
//     worst(x)        the largest error of the row: max |x_k − s · q_k|, where q_k is the mark of
//                     x_k
//
// Example: {.31, −.82, .05} has the scale .82 / 127 = .00646 and the marks 48, −127 and 8; the
// worst error, .0017, is that of .05. If the row also holds a 25, the scale is .197 and the worst
// error .084.
//
// A row of zeros and a row of no numbers have the scale 0 and the error 0. Compute in doubles.
//
// Write three functions, of about 3 lines, 1 line and 4 lines. Check: make check EX=20_01
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex20_01 {

inline double scale_of([[maybe_unused]] const std::vector<double>& x) {
    // >>> write here
    double largest = 0;
    for (const double v : x) largest = std::max(largest, std::abs(v));
    return largest / 127;
    // <<< to here
}

inline int mark_of([[maybe_unused]] double v, [[maybe_unused]] double s) {
    // >>> write here
    return s == 0 ? 0 : static_cast<int>(std::nearbyint(v / s));
    // <<< to here
}

inline double worst([[maybe_unused]] const std::vector<double>& x) {
    // >>> write here
    const double s = scale_of(x);
    double error = 0;
    for (const double v : x) error = std::max(error, std::abs(v - s * mark_of(v, s)));
    return error;
    // <<< to here
}

}  // namespace tbt::ex20_01
