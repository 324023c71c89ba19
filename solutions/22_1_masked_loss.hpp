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
    if (text.size() != hidden.size())
        throw Error("masked row: " + std::to_string(text.size()) + " tokens and " +
                    std::to_string(hidden.size()) + " marks, expected the same length");
    Row row = text;
    for (std::size_t i = 0; i < row.size(); ++i)
        if (hidden[i]) row[i] = masked;
    return row;
    // <<< to here
}

inline double loss([[maybe_unused]] const Distribution& distribution,
                   [[maybe_unused]] const Row& text,
                   [[maybe_unused]] const std::vector<bool>& hidden) {
    // >>> write here
    const Row row = masked_row(text, hidden);
    double sum = 0, k = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (!hidden[i]) continue;
        sum -= std::log(distribution(row, i)[static_cast<std::size_t>(text[i])]);
        k += 1;
    }
    return sum / k;
    // <<< to here
}

inline double bound([[maybe_unused]] const Distribution& distribution,
                    [[maybe_unused]] const Row& text) {
    // >>> write here
    const std::size_t L = text.size();
    std::vector<double> sums(L + 1), ways(L + 1);
    for (unsigned set = 1; set < 1u << L; ++set) {
        std::vector<bool> hidden(L);
        std::size_t k = 0;
        for (std::size_t i = 0; i < L; ++i) {
            hidden[i] = (set >> i & 1) != 0;
            k += hidden[i];
        }
        sums[k] += loss(distribution, text, hidden);
        ways[k] += 1;
    }
    double total = 0;
    for (std::size_t k = 1; k <= L; ++k) total += sums[k] / ways[k];
    return total;  // L times the mean over k, which is 1/L times this sum
    // <<< to here
}

}  // namespace tbt::ex22_1
