// Exercise 02_1: greedy with one step of foresight.
//
// Greedy takes the most probable token and may walk into a dead end. Look one token further:
// of the `width` most probable tokens a (in the course's order: greater logit first,
// of equal ones the lower id), take the one with the most probable pair
//
//     argmax_a  ln p(a | ids) + max_b ln p(b | ids, a)
//
// Of equal pairs take the first a in that order. Width 1 is plain greedy, a width above V means V,
// and a width below 1 is a UsageError.
//
// portable_log is a logarithm with the same digits on every machine.
// top_candidates(logits, n) of chapter 01 gives the n first tokens with their probabilities;
// the span of logits is valid until the model is asked again.
//
// Write one function, about 14 lines. Check: make check EX=02_1.
// Then see it read ahead: make try EX=02_1
#pragma once

#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "chapters/01_next_token/next_token.hpp"
#include "exercises/exercise.hpp"
#include "lib/core/error.hpp"
#include "lib/core/math.hpp"

namespace tbt::ex02_1 {

inline int pick_with_foresight([[maybe_unused]] const NextLogits& model,
                               [[maybe_unused]] std::span<const int> ids,
                               [[maybe_unused]] int width) {
    // >>> write here
    if (width < 1)
        throw UsageError("foresight: a width of " + std::to_string(width) + ", expected 1 or more");
    const std::vector<Candidate> firsts = top_candidates(model(ids), width);
    std::vector<int> text(ids.begin(), ids.end());
    text.push_back(0);
    int best = -1;
    double most = -std::numeric_limits<double>::infinity();
    for (const Candidate& first : firsts) {
        text.back() = first.id;
        const Candidate second = top_candidates(model(text), 1)[0];
        const double pair = portable_log(static_cast<double>(first.probability)) +
                            portable_log(static_cast<double>(second.probability));
        if (best < 0 || pair > most) most = pair, best = first.id;
    }
    return best;
    // <<< to here
}

}  // namespace tbt::ex02_1
