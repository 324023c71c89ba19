// Exercise 18_2: how large is a GPT-2, and how much does it compute?
//
// The sizes alone tell; follow the picture of the lesson. There are V tokens, P positions, C
// channels, L layers, and F features in each MLP. Every matrix has a bias, except wte and wpe.
// Every layer norm has a scale and a shift. The output matrix is wte again.
//
//     parameters       how many numbers training may change
//     cache_floats     how many numbers the KV cache keeps for one token: a key and a value in
//                      every layer
//     multiplications  for one new token at position t (from 0). Matrices: one for each element of
//                      every matrix that the token's row goes through (wte and wpe are looked up,
//                      not multiplied; the output is multiplied). Attention: one for each channel
//                      of each of the t + 1 keys, and as many for the values. Norms, biases and
//                      GELU are not counted.
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
