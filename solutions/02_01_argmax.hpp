// Exercise 02_01: argmax, the most probable token.
//
// The id of the largest logit; of equal ones the lowest id. Example: {1, 3, 0, 3} gives 1.
//
// A token whose logit is −∞ is masked and never chosen. Where there is no token to choose
// (no logits at all, or all −∞): throw Error. A logit that is NaN, anywhere, means that
// the model is broken: throw Error too.
//
// Write one function, about 8 lines. Check: make check EX=02_01
#pragma once

#include <cmath>
#include <span>

#include "exercises/exercise.hpp"
#include "lib/core/error.hpp"

namespace tbt::ex02_01 {

// logits: one for each token, by id.
inline int best_token([[maybe_unused]] std::span<const float> logits) {
    // >>> write here
    int best = -1;
    float most = -INFINITY;
    for (std::size_t id = 0; id < logits.size(); ++id) {
        if (std::isnan(logits[id])) throw Error("argmax: a logit is NaN");
        if (logits[id] > most) best = static_cast<int>(id), most = logits[id];
    }
    if (best < 0) throw Error("argmax: there is no token to choose");
    return best;
    // <<< to here
}

}  // namespace tbt::ex02_01
