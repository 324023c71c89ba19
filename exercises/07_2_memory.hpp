// Exercise 07_2: will the model fit on the card?
//
//     weights      billions · bits / 8                            GB (decimal: 10^9 bytes)
//     KV cache     2 · layers · dim · context · batch · 2 bytes
//     activations  a tenth of the weights
//
// The shape comes from this table; the nearest size wins, of two equally near ones the smaller:
//
//     7 billion: 32 layers, dim 4096       13: 40 layers, dim 5120       70: 80 layers, dim 8192
//
// The formula keeps keys and values for every head, as the first models did.
// Newer ones share each among a group of heads [Ainslie et al. 2023]: with 8 groups and heads of
// 128 channels, dim becomes 8 · 128 = 1024. Give that as well: `grouped`.
// The total uses the first one.
//
// total <= card fits. Otherwise, short by less than 20 % of the total: a shorter context or fewer
// bits; else a smaller model. Anything negative or not a number is a UsageError.
//
// Write two functions, about 20 lines. Check: make check EX=07_2
#pragma once

#include <cmath>
#include <string>

#include "exercises/exercise.hpp"
#include "lib/core/error.hpp"

namespace tbt::ex07_2 {

struct ModelShape {
    double billions = 0;
    double layers = 0, dim = 0;
};

enum class Advice { fits, shorter_context_or_fewer_bits, smaller_model };

// All in GB.
struct Memory {
    double weights = 0, kv = 0, grouped = 0, activations = 0, total = 0;
    double left = 0;  // card − total: negative when it is short
    Advice advice = Advice::fits;
};

inline ModelShape nearest([[maybe_unused]] double billions) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

inline Memory memory([[maybe_unused]] double billions, [[maybe_unused]] double bits,
                     [[maybe_unused]] int context, [[maybe_unused]] int batch,
                     [[maybe_unused]] double card = 24) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex07_2
