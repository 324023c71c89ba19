// The probability that the variables of a derivation have values that fit the text.
#pragma once

#include <cstdint>
#include <vector>

#include "chapters/19_training/report/rows.hpp"

namespace tbt {

// A number that was drawn uniformly between two bounds: constants, or cells of a row.
struct DrawnNumber {
    struct Bound {
        std::int64_t constant = 0;
        int variable = -1, column = -1;  // −1: the constant
    };
    std::int64_t value = 0;
    Bound low, high;
};

// The probability, between 0 and 1, that each variable, drawn in order, becomes one of its possible
// rows and each number gets its value.
double probability(const Rows& rows, const std::vector<DrawnNumber>& numbers);

}  // namespace tbt
