// Exercise 25_1: find the bug. A model's texts are nonsense, but every unit test of its rotation
// passes: it keeps lengths, and only the distance between two positions counts.
//
// The paper rotates neighbours: components 2i and 2i + 1 are a pair, and `interleaved` below does
// what the paper says. But the files on the hub were trained with halves: i and i + D/2 are a pair.
//
// 1. Write `witness`: a query and a key for which the two programs disagree. Rotate the query at
//    position 1 and the key at position 0; the product of the two must differ between the programs
//    by more than 1. θ is 10,000, D = 4, and every number is from −2 to 2.
// 2. Do not change the rotation. Instead reorder the components of a head, so that `interleaved` on
//    the new order does what halves do on the old one: to_interleaved(x)[…] = x[…]. (llama.cpp's
//    files hold queries and keys in this order.)
//
// Write about 2 and 6 lines. Check: make check EX=25_1
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex25_1 {

using Row = std::vector<double>;

// Components 2i and 2i + 1 turn together.
inline Row interleaved(const Row& x, int position, double theta = 10000) {
    Row y = x;
    for (std::size_t i = 0; i < x.size() / 2; ++i) {
        const double angle = position * std::pow(theta, -2.0 * static_cast<double>(i) /
                                                            static_cast<double>(x.size()));
        y[2 * i] = x[2 * i] * std::cos(angle) - x[2 * i + 1] * std::sin(angle);
        y[2 * i + 1] = x[2 * i + 1] * std::cos(angle) + x[2 * i] * std::sin(angle);
    }
    return y;
}

struct Witness {
    Row query, key;
};

inline Witness witness() {
    // >>> write here
    return {{2, 0, 0, 0}, {0, 2, 0, 0}};
    // <<< to here
}

inline Row to_interleaved([[maybe_unused]] const Row& x) {
    // >>> write here
    Row y(x.size());
    for (std::size_t i = 0; i < x.size() / 2; ++i) {
        y[2 * i] = x[i];
        y[2 * i + 1] = x[i + x.size() / 2];
    }
    return y;
    // <<< to here
}

}  // namespace tbt::ex25_1
