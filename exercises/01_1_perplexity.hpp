// Exercise 01_1: perplexity, how surprised a model is by a text.
//
// A GPT predicts at every position at once: row t of its logits is about the token after ids[t].
// So a text of n tokens holds n − 1 predictions whose answers are known:
//
//     perplexity = exp( −1/(n−1) · Σ_{t=0}^{n−2} ln softmax(row t)[ids[t+1]] )
//
// 1 means never surprised, V means guessing.
// Logits may be large: subtract each row's maximum before exp.
// A text of fewer than two tokens has nothing to predict: throw Error("what is wrong").
//
// Write one function, about 12 lines. Check: make check EX=01_1
// Then let the model score texts: make try EX=01_1
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "exercises/exercise.hpp"
#include "lib/core/error.hpp"
#include "lib/core/math.hpp"

namespace tbt::ex01_1 {

// logits: (n, V), row after row; ids: (n). Use portable_exp and portable_log:
// the same digits on every machine.
inline double perplexity([[maybe_unused]] std::span<const float> logits,
                         [[maybe_unused]] std::span<const int> ids) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex01_1
