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
    if (k < 0) throw UsageError("top-k: got " + std::to_string(k) + ", expected 0 or more");
    const auto wanted = static_cast<std::size_t>(k);
    if (k == 0 || wanted >= s.size()) return s;
    std::vector<std::size_t> ids(s.size());
    std::iota(ids.begin(), ids.end(), std::size_t{0});  // 0, 1, 2, …
    std::stable_sort(ids.begin(), ids.end(),
                     [&](std::size_t a, std::size_t b) { return s[a] > s[b]; });
    std::vector<float> kept(s.size(), gone);
    for (std::size_t place = 0; place < wanted; ++place) kept[ids[place]] = s[ids[place]];
    return kept;
    // <<< to here
}

}  // namespace tbt::ex04_01
