// Exercise 19_01: the loss and its gradient, where learning begins.
//
// A model has read n tokens, and gives a row of V logits after each of them. targets[t] is the
// token that really came next; a target of −1 does not count (padding, or a prompt). N is the
// number of targets that count:
//
//     p = softmax(row t)          loss = 1/N · Σ −ln p[target_t]
//     ∂loss/∂s_i = 1/N · (p_i − 1)     for the target       and  1/N · p_i  for every other i
//
// The gradient is 0 in a row that does not count. Example: one row {2, 0} and the target 1 give the
// loss 2.127 and the gradient {.881, −.881}. Training moves against it: the wrong logit goes down,
// the right one up.
//
// Logits may be large: subtract each row's maximum before exp. Compute in doubles. If no target
// counts, the loss is 0, and so is the gradient. A target that is neither a token nor −1 is an
// Error.
//
// Write one function, about 16 lines. Check: make check EX=19_01
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "exercises/exercise.hpp"
#include "lib/core/error.hpp"

namespace tbt::ex19_01 {

using Row = std::vector<double>;

struct LossAndGradient {
    double loss = 0;
    std::vector<Row> gradient;  // as many rows and columns as there are logits
};

// logits: n rows of V numbers; targets: n numbers.
inline LossAndGradient loss_of([[maybe_unused]] const std::vector<Row>& logits,
                               [[maybe_unused]] const std::vector<int>& targets) {
    // >>> write here
    const auto N =
        static_cast<double>(std::ssize(targets) - std::count(targets.begin(), targets.end(), -1));
    LossAndGradient result;
    for (std::size_t t = 0; t < logits.size(); ++t) {
        Row& p = result.gradient.emplace_back(logits[t].size(), 0.0);
        if (targets[t] == -1) continue;
        const auto target = static_cast<std::size_t>(targets[t]);
        if (targets[t] < -1 || target >= p.size())
            throw Error("loss: there is no token " + std::to_string(targets[t]));
        const double m = *std::max_element(logits[t].begin(), logits[t].end());
        double sum = 0;
        for (std::size_t i = 0; i < p.size(); ++i) sum += p[i] = std::exp(logits[t][i] - m);
        result.loss -= (logits[t][target] - m - std::log(sum)) / N;
        for (double& x : p) x /= sum * N;
        p[target] -= 1 / N;
    }
    return result;
    // <<< to here
}

}  // namespace tbt::ex19_01
