// Exercise 22_2: fill the easy places first, and keep the distribution.
//
// Chapter 22's sampler by confidence draws a token at every masked place, and keeps the token that
// was most probable. So probable tokens get two chances, and the texts have a different
// distribution. If you choose the place before you draw, from what is known so far, the
// distribution stays the same, whatever the order.
//
// distribution(row, place) is the probability of each token at a place, given a row in which masked
// places hold `masked`, −1. draw(p) returns a number i with probability p[i].
//
//     most_certain(row, distribution)      the masked place whose largest probability is largest,
//                                          the leftmost of several; nothing masked: Error
//     fill(row, distribution, draw)        while a place is masked, the most certain one gets a
//                                          token drawn from its distribution, given the row as it
//                                          is then
//     fill_least(row, distribution, draw)  the same, but the least certain place comes first: the
//                                          one whose largest probability is smallest, the leftmost
//                                          of several
//
// Write three functions, about 25 lines. Check: make check EX=22_2
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "exercises/exercise.hpp"
#include "lib/core/error.hpp"

namespace tbt::ex22_2 {

constexpr int masked = -1;
using Row = std::vector<int>;
using Distribution = std::function<std::vector<double>(const Row& row, std::size_t place)>;
using Draw = std::function<int(const std::vector<double>& p)>;

inline std::size_t most_certain([[maybe_unused]] const Row& row,
                                [[maybe_unused]] const Distribution& distribution) {
    // >>> write here
    std::size_t best = row.size();
    double largest = -1;
    for (std::size_t i = 0; i < row.size(); ++i) {
        if (row[i] != masked) continue;
        const std::vector<double> p = distribution(row, i);
        const double certainty = *std::max_element(p.begin(), p.end());
        if (certainty > largest) largest = certainty, best = i;
    }
    if (best == row.size()) throw Error("most certain: nothing is masked");
    return best;
    // <<< to here
}

inline void fill([[maybe_unused]] Row& row, [[maybe_unused]] const Distribution& distribution,
                 [[maybe_unused]] const Draw& draw) {
    // >>> write here
    for (auto left = std::count(row.begin(), row.end(), masked); left > 0; --left) {
        const std::size_t place = most_certain(row, distribution);
        row[place] = draw(distribution(row, place));
    }
    // <<< to here
}

inline void fill_least([[maybe_unused]] Row& row, [[maybe_unused]] const Distribution& distribution,
                       [[maybe_unused]] const Draw& draw) {
    // >>> write here
    const Distribution turned = [&](const Row& seen, std::size_t i) {
        const std::vector<double> p = distribution(seen, i);
        return std::vector<double>{1 - *std::max_element(p.begin(), p.end())};
    };
    for (auto left = std::count(row.begin(), row.end(), masked); left > 0; --left) {
        const std::size_t place = most_certain(row, turned);
        row[place] = draw(distribution(row, place));
    }
    // <<< to here
}

}  // namespace tbt::ex22_2
