// Exercise 04_01: top-k: keep the k most probable tokens.
//
// The k tokens with the largest logits keep them; the logits of all others become −∞. Exactly
// k stay: if logits are equal, the lower ids first. Example: {1, 4, 2, 4, 2} and k = 3 give
// {−∞, 4, 2, 4, −∞}.
//
// k = 0 turns the cut off, and a k of V or more keeps all. A logit that is −∞ already stays −∞.
// A k below 0 is a UsageError.
//
// Write one function, about 10 lines. Check: make check EX=04_01
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "exercises/exercise.hpp"
#include "lib/core/error.hpp"

namespace tbt::ex04_01 {

constexpr float gone = -std::numeric_limits<float>::infinity();

// s: one logit for each of the V tokens. Returns the row after the cut.
inline std::vector<float> keep_k([[maybe_unused]] const std::vector<float>& s,
                                 [[maybe_unused]] int k) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex04_01
