// Exercise 08_02: the frequency and the presence penalty.
//
//     s_j ← s_j − c_j·frequency − presence          for each token j with c_j > 0
//
// c_j is how often token j occurs in the text. So each occurrence subtracts `frequency`,
// and the first one subtracts `presence` too. Example: the logits {5, 3, 2, 1}, the text
// {0, 1, 0, 0}, frequency .5 and presence .25 give {3.25, 2.25, 2, 1}.
//
// Below 0 they reward. In doubles, rounded to a float once, at the end. A penalty that is
// not a finite number is a UsageError, an id that is no token an Error.
//
// Write one function, about 9 lines. Check: make check EX=08_02
#pragma once

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "exercises/exercise.hpp"
#include "lib/core/error.hpp"

namespace tbt::ex08_02 {

// s: one logit for each token, changed in place.
inline void penalise([[maybe_unused]] std::vector<float>& s,
                     [[maybe_unused]] const std::vector<int>& text,
                     [[maybe_unused]] double frequency, [[maybe_unused]] double presence) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex08_02
