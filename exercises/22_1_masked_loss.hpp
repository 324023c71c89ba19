// Exercise 22_1: the loss of a model that fills masks, and why it bounds that of a whole text.
//
// A text has L tokens, and hidden[i] says whether place i is masked. The model is a function
// distribution(row, place): the probability of each token at a place, given a row in which the
// hidden places hold `masked`, which is −1. With k ≥ 1 hidden places:
//
//     masked_row(text, hidden)                the row that the model sees
//     loss(distribution, text, hidden)        1/k · Σ −ln p(token) over the hidden places
//     bound(distribution, text)               L · mean over k = 1 … L of the mean of loss over all
//                                             ways to hide k places
//
// Let the model write this text one place after the other, in random order. The bound is at least
// −ln of the probability of doing so, and equal to it if the model never contradicts itself.
// Training cannot try all 2^L − 1 ways: it draws one k, and one way to hide k places.
//
// text and hidden of different lengths: Error. bound gets texts of at most 16 tokens.
//
// Write three functions, about 25 lines. Check: make check EX=22_1
#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "exercises/exercise.hpp"
#include "lib/core/error.hpp"

namespace tbt::ex22_1 {

constexpr int masked = -1;
using Row = std::vector<int>;
using Distribution = std::function<std::vector<double>(const Row& row, std::size_t place)>;

inline Row masked_row([[maybe_unused]] const Row& text,
                      [[maybe_unused]] const std::vector<bool>& hidden) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

inline double loss([[maybe_unused]] const Distribution& distribution,
                   [[maybe_unused]] const Row& text,
                   [[maybe_unused]] const std::vector<bool>& hidden) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

inline double bound([[maybe_unused]] const Distribution& distribution,
                    [[maybe_unused]] const Row& text) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex22_1
