// Exercise 25_05: the router of a mixture of experts.
//
// A layer has E experts; a token takes k of them. The router has given this token a score for each.
//
//     p        the softmax of all E scores
//     chosen   the k experts with the largest p; of equal ones the one with the lower number
//     weight   p of a chosen expert, divided by the sum of the k chosen p
//
// The result is in the order of the experts' numbers. Scores may be as large as 1000.
//
// Example: scores (0, ln 4, ln 2, ln 3) have p = (.1, .4, .2, .3). With k = 2 the token takes
// expert 1 with the weight 4/7 and expert 3 with the weight 3/7.
//
// Write one function of about 12 lines. Check: make check EX=25_05
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex25_05 {

struct Choice {
    std::size_t expert = 0;
    double weight = 0;
};

inline std::vector<Choice> route([[maybe_unused]] const std::vector<double>& scores,
                                 [[maybe_unused]] std::size_t k) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex25_05
