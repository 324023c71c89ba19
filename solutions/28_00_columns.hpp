// Exercise 28_00: a product by columns.
//
// y = x · w on several machines. w[k][n] has K rows and N columns. Machine i of `machines` keeps
// the columns from N·i / machines to N·(i + 1) / machines − 1, with quotients rounded down, and
// multiplies all of x by them. Then everyone gets all columns. There are at most N machines.
//
// 1. Write `keep`: the columns of w that machine i keeps, as a matrix of K rows.
// 2. Write `gather`: part i is what machine i has computed for T rows of x, a matrix of T rows. The
//    result has T rows, too, and in each row the columns of all machines, in their order.
//
// Example: of five columns, machine 0 of 2 keeps the first two, machine 1 the last three. Gathering
// ((1, 2), (6, 7)) and ((3, 4, 5), (8, 9, 10)) gives ((1, 2, 3, 4, 5), (6, 7, 8, 9, 10)).
//
// Write about 4 lines each. Check: make check EX=28_00
#pragma once

#include <cstddef>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex28_00 {

using Matrix = std::vector<std::vector<float>>;

inline Matrix keep([[maybe_unused]] const Matrix& w, [[maybe_unused]] std::size_t i,
                   [[maybe_unused]] std::size_t machines) {
    [[maybe_unused]] const std::size_t N = w.at(0).size();
    // >>> write here
    Matrix own(w.size());
    for (std::size_t k = 0; k < w.size(); ++k)
        for (std::size_t n = N * i / machines; n < N * (i + 1) / machines; ++n)
            own[k].push_back(w[k][n]);
    return own;
    // <<< to here
}

inline Matrix gather([[maybe_unused]] const std::vector<Matrix>& parts) {
    // >>> write here
    Matrix all(parts.at(0).size());
    for (const Matrix& part : parts)
        for (std::size_t t = 0; t < part.size(); ++t)
            all[t].insert(all[t].end(), part[t].begin(), part[t].end());
    return all;
    // <<< to here
}

}  // namespace tbt::ex28_00
