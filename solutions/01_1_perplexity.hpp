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
    if (ids.size() < 2)
        throw Error("perplexity: a text of " + std::to_string(ids.size()) +
                    " tokens, expected 2 or more");
    const std::size_t V = logits.size() / ids.size();
    double sum = 0;
    for (std::size_t t = 0; t + 1 < ids.size(); ++t) {
        const std::span<const float> row = logits.subspan(t * V, V);
        const double most = static_cast<double>(*std::max_element(row.begin(), row.end()));
        double total = 0;
        for (const float s : row) total += portable_exp(static_cast<double>(s) - most);
        sum += static_cast<double>(row[static_cast<std::size_t>(ids[t + 1])]) - most -
               portable_log(total);
    }
    return portable_exp(-sum / static_cast<double>(ids.size() - 1));
    // <<< to here
}

}  // namespace tbt::ex01_1
