// Exercise 08_01: the repetition penalty [Keskar et al. 2019].
//
// Every token that occurs in the text becomes less likely, however often it occurs:
//
//     s_j ← s_j / θ   if s_j is above 0           s_j ← s_j · θ   if it is below
//
// once for each different token j of the text. Example: the logits {3, 2, −1, −1}, the text
// {0, 2, 0} and θ = 2 give {1.5, 2, −2, −1}.
//
// Dividing a negative logit would reward the token. A θ that is not a finite number
// above 0 is a UsageError, an id that is no token an Error.
//
// Write one function, about 7 lines. Check: make check EX=08_01
#pragma once

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "exercises/exercise.hpp"
#include "lib/core/error.hpp"

namespace tbt::ex08_01 {

// s: one logit for each token, changed in place. text: prompt and generated.
inline void penalise([[maybe_unused]] std::vector<float>& s,
                     [[maybe_unused]] const std::vector<int>& text, [[maybe_unused]] float theta) {
    // >>> write here
    if (!(theta > 0 && std::isfinite(theta)))
        throw UsageError("repetition penalty: expected a number above 0");
    for (const int j : std::set<int>(text.begin(), text.end())) {
        const auto id = static_cast<std::size_t>(j);
        if (j < 0 || id >= s.size()) throw Error("there is no token " + std::to_string(j));
        s[id] = s[id] < 0 ? s[id] * theta : s[id] / theta;
    }
    // <<< to here
}

}  // namespace tbt::ex08_01
