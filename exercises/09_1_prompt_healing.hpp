// Exercise 09_1: heal the end of a prompt (token healing).
//
// A prompt that ends in the middle of a word ends in a token the model has hardly ever
// seen in that place: "The link is http:" is tokenized with ":" at its end, but in the
// model's texts "://" was one token. So it has learned that ":" is *not* followed by "//".
// The cure: take the last token back and let the model write it again, with what follows,
// but allow only what agrees with the text that was taken.
//
//     owed = the bytes of the token taken back
//     a token may come  <=>  it begins with owed, or owed begins with it (then the rest stays owed)
//     nothing owed: everything may come
//
// A token without bytes would never reduce owed: while bytes are owed it may not come.
//
// Write three functions, about 12 lines. Check: make check EX=09_1.
// With the shipped model: make try EX=09_1
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex09_1 {

// bytes[id]: the bytes of each token of the vocabulary (V).
using Vocabulary = std::vector<std::string>;

// Takes the last id back and returns its bytes. A prompt of one token or none stays as
// it is: nothing owed.
inline std::string take_back([[maybe_unused]] std::vector<int>& ids,
                             [[maybe_unused]] const Vocabulary& bytes) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// −∞ for the logits (V) of all tokens that may not come.
inline void mask([[maybe_unused]] std::span<float> logits, [[maybe_unused]] std::string_view owed,
                 [[maybe_unused]] const Vocabulary& bytes) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// What is still owed after a token that might come.
inline std::string still_owed([[maybe_unused]] std::string_view owed,
                              [[maybe_unused]] std::string_view token) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex09_1
