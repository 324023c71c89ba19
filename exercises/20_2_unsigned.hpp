// Exercise 20_2: a product in 8 bits on a processor that multiplies unsigned by signed only.
//
// The instruction takes x as numbers from 0 to 255 and w as numbers from −128 to 127; its sum has
// 32 bits. Our x are numbers from −127 to 127. So:
//
//     u_k = x_k + 128                             0 … 255: what the instruction gets
//     Σ x_k · w_k = Σ u_k · w_k − 128 · Σ w_k     what is subtracted does not depend on x
//
//     shifted(x)                 the row u
//     column_sum(w)              Σ w_k, computed once when the weights are packed
//     product(u, w, sum, s, t)   float(Σ x_k · w_k) · (s · t), with sum = column_sum(w) and the
//                                scales s and t; the numbers that are multiplied are u and w
//
// Rows of different lengths: Error. Without numbers the product is 0.
//
// Write three functions, about 12 lines. Check: make check EX=20_2
#pragma once

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "exercises/exercise.hpp"
#include "lib/core/error.hpp"

namespace tbt::ex20_2 {

inline std::vector<std::uint8_t> shifted([[maybe_unused]] const std::vector<std::int8_t>& x) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

inline std::int32_t column_sum([[maybe_unused]] const std::vector<std::int8_t>& w) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

inline float product([[maybe_unused]] const std::vector<std::uint8_t>& u,
                     [[maybe_unused]] const std::vector<std::int8_t>& w,
                     [[maybe_unused]] std::int32_t sum, [[maybe_unused]] float s,
                     [[maybe_unused]] float t) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex20_2
