// Exercise 03_3: find the bug in a draw, twice: who falls off the wheel?
//
// Below are two draws from real programs. Both pass any test with a hundred
// thousand draws. The rule:
//
//     the first i with p_0 + … + p_i > u, sums in doubles from left to right
//     if rounding leaves the whole sum at or below u: the last i with p_i > 0
//
// So a token with p_i = 0 (one that was cut or banned) never comes, whatever u in [0, 1) is.
//
// 1. witness_a: a distribution and a u for which draw_a gives a token that has probability 0,
//    and draw_b is right.
// 2. witness_b: the same for draw_b; draw_a may then be right or wrong.
// 3. draw: the right one.
//
// A distribution is not negative and sums to 1, to within 10^-12. First on paper:
// what is .1 + .1 + … + .1, ten times, in doubles? The greatest u that can be drawn is 1 − 2^-53,
// here last_u.
//
// About 12 lines. Check: make check EX=03_3. It needs nothing of chapter 03,
// which counts in whole numbers and so has neither bug.
#pragma once

#include <cstddef>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex03_3 {

constexpr double last_u = 1 - 0x1p-53;

inline std::size_t draw_a(const std::vector<double>& p, double u) {
    double sum = 0;
    for (std::size_t i = 0; i + 1 < p.size(); ++i) {
        sum += p[i];
        if (u <= sum) return i;
    }
    return p.size() - 1;
}

inline std::size_t draw_b(const std::vector<double>& p, double u) {
    double sum = 0;
    for (std::size_t i = 0; i + 1 < p.size(); ++i) {
        sum += p[i];
        if (u < sum) return i;
    }
    return p.size() - 1;
}

struct Witness {
    std::vector<double> p;
    double u = 0;
};

inline Witness witness_a() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

inline Witness witness_b() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

inline std::size_t draw([[maybe_unused]] const std::vector<double>& p, [[maybe_unused]] double u) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex03_3
