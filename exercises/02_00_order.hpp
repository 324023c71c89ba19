// Exercise 02_00: which of two tokens comes first, and whether a text goes round in a circle.
//
//     comes_before(s, a, b)   is token a preferred to token b? The greater logit comes first; if
//                             the logits are equal, the lower id. No token comes before itself.
//     stuck(ids, n)           does the text end in the same n tokens twice in a row? No if it has
//                             fewer than 2n tokens.
//
// Example: of the logits {1, 3, 0, 3} token 1 comes before token 3, and both come before token 0.
// 7 1 2 3 1 2 3 is stuck with n = 3 and not with n = 2.
//
// a and b are ids of s; n is at least 1. Write two functions, of about 1 and 3 lines.
// Check: make check EX=02_00
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex02_00 {

inline bool comes_before([[maybe_unused]] const std::vector<float>& s,
                         [[maybe_unused]] std::size_t a, [[maybe_unused]] std::size_t b) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

inline bool stuck([[maybe_unused]] const std::vector<int>& ids, [[maybe_unused]] std::size_t n) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex02_00
