// Exercise 03_2: a temperature visualizer, and the temperature that a task wants.
//
// What a temperature does depends on the logits: .7 is timid for a confident model and bold for a
// doubtful one. So measure what it does, and then find the temperature for what a task needs.
//
// 1. Of the distribution p = softmax(s/T), T > 0:
//
//        entropy = −Σ p ln p  (0 · ln 0 = 0)        top = max p
//        effective = how many p_i > .01 (strictly)
//
// 2. The normalised entropy h(T) = entropy / ln V goes from 0 (sure) to 1 (all V equal) as T grows.
//    A task wants it in a range, and T(x) is the temperature with h(T) = x, found by bisection:
//
//        factual 0 to .30        T from 0 to T(.30)              without logits  0.1 to 0.3
//        balanced .30 to .70     T from T(.30) to T(.70)                         0.7 to 0.9
//        creative .70 to .90     T from T(.70) to T(.90)                         1.0 to 1.5
//
//    Another task is a UsageError. If no temperature reaches x, throw Error
//    (if all logits are equal, h is 1 at any T).
//
// Look for T between 10^-3 and 10^6. Logits are finite or −∞; V counts all of them.
// softmax_at is chapter 03's.
//
// Write two functions, about 8 and 25 lines. Check: make check EX=03_2.
// Then see it: make try EX=03_2
#pragma once

#include <cmath>
#include <span>
#include <string>

#include "chapters/03_temperature/plain_temperature.hpp"
#include "exercises/exercise.hpp"
#include "lib/core/error.hpp"
#include "lib/core/math.hpp"

namespace tbt::ex03_2 {

struct Numbers {
    double entropy = 0, top = 0;
    int effective = 0;
};

inline Numbers numbers_at([[maybe_unused]] std::span<const float> logits,
                          [[maybe_unused]] double T) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

struct Range {
    double low = 0, high = 0;
};

// Without logits (an empty span): the temperatures that people commonly set.
inline Range recommend_temperature([[maybe_unused]] const std::string& task,
                                   [[maybe_unused]] std::span<const float> logits = {}) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex03_2
