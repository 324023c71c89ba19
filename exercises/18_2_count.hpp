// Exercise 18_2: how large is a GPT-2, and how much does it compute?
//
// From the sizes alone, as in the picture of the lesson. V tokens, P positions, C channels,
// L layers, F features in each MLP; every matrix has a bias but wte and wpe, every layer norm has
// a scale and a shift, and the output matrix is wte again.
//
//     parameters       all numbers that training may change
//     cache_floats     what the KV cache keeps for one token: a key and a value in every layer
//     multiplications  one new token at position t (from 0): one for each element of every matrix
//                      that its row goes through (wte and wpe are looked up, not multiplied; the
//                      output is multiplied), and in attention one for each channel of each of the
//                      t + 1 keys, and again of the values; norms, biases and GELU are not counted
//
// Write three functions, about 10 lines. Check: make check EX=18_2
#pragma once

#include <cstdint>

#include "exercises/exercise.hpp"

namespace tbt::ex18_2 {

struct Sizes {
    std::int64_t V = 0, P = 0, C = 0, L = 0, F = 0;
};

inline std::int64_t parameters([[maybe_unused]] const Sizes& s) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

inline std::int64_t cache_floats([[maybe_unused]] const Sizes& s) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

inline std::int64_t multiplications([[maybe_unused]] const Sizes& s,
                                    [[maybe_unused]] std::int64_t t) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex18_2
