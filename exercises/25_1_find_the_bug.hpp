// Exercise 25_1: find the bug. A model's texts are nonsense, and every unit test of its rotation
// passes: lengths are kept, only distances count.
//
// The paper rotates neighbours, components 2i and 2i + 1. The files on the hub were trained with
// halves, i and i + D/2, and `interleaved` below does what the paper says.
//
// 1. Write the instrument: a query and a key (D numbers each, the same for both programs) whose
//    product after rotation at positions 1 and 0 differs between the two by more than 1. θ is
//    10,000, D = 4, and every number is from −2 to 2.
// 2. Don't touch the rotation. Reorder the components of a head so that `interleaved` on the new
//    order does what halves do on the old one: to_interleaved(x)[…] = x[…]. (Files of llama.cpp
//    hold queries and keys in this order.)
//
// About 2 and 6 lines. Check: make check EX=25_1
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
    throw NotWritten();
    // <<< to here
}

inline Row to_interleaved([[maybe_unused]] const Row& x) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex25_1
