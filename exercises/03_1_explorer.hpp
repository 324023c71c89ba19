// Exercise 03_1: a temperature explorer.
//
// What does a temperature do to a distribution, and to texts? Two functions.
//
// 1. Four numbers of the distribution p = softmax(s/T), T > 0 (natural logarithms; 0 · ln 0 = 0):
//
//        entropy = −Σ p ln p       top = max p
//        agree_2 = Σ p²            agree_3 = Σ p³        probability that 2, 3 draws agree
//
// 2. For each temperature, the given number of samples: the ids of `length` generated tokens,
//    without the prompt. Sample i draws from Rng(seed, i), so that all temperatures use the same
//    random numbers; temperature 0 is greedy.
//
// Chapter 03 has softmax_at(s, T), the distribution, and draw(s, T, u), the id that u points at;
// rng.uniform() of an Rng is such a u.
//
// Write two functions, about 8 and 14 lines. Check: make check EX=03_1.
// Then see texts: make try EX=03_1
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "chapters/01_next_token/next_token.hpp"
#include "chapters/03_temperature/plain_draw.hpp"
#include "chapters/03_temperature/plain_temperature.hpp"
#include "exercises/exercise.hpp"
#include "lib/core/math.hpp"
#include "lib/core/rng.hpp"

namespace tbt::ex03_1 {

struct Numbers {
    double entropy = 0, top = 0, agree_2 = 0, agree_3 = 0;
};

inline Numbers numbers_at([[maybe_unused]] std::span<const float> logits,
                          [[maybe_unused]] double T) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

using Texts = std::vector<std::vector<std::vector<int>>>;

// texts[t][i]: sample i at temperatures[t].
inline Texts explore([[maybe_unused]] const NextLogits& model,
                     [[maybe_unused]] const std::vector<int>& prompt,
                     [[maybe_unused]] const std::vector<double>& temperatures,
                     [[maybe_unused]] int samples, [[maybe_unused]] int length,
                     [[maybe_unused]] std::uint64_t seed) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex03_1
