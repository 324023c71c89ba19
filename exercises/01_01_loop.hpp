// Exercise 01_01: the loop that writes: predict, pick, append, repeat.
//
// The model gives the logits after a text, and `pick` chooses an id from them. Append it to the
// text and begin again with the longer text, n times. With n = 0 the text stays as it is.
//
// The token `eos` ends a text: when it is picked it is appended, and nothing comes after it.
// In the prompt it means nothing.
//
// Example: a model that always wants the last id plus 1, after {3}: n = 2 gives {3, 4, 5}.
// With eos = 4 it gives {3, 4}.
//
// Ask the model once for each new token, and never for a token that is not needed.
//
// Write one function, about 5 lines. Check: make check EX=01_01
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex01_01 {

using Model = std::function<std::vector<float>(const std::vector<int>& ids)>;
using Pick = std::function<int(const std::vector<float>& logits)>;

// ids: the prompt. Returns it with what was generated after it.
inline std::vector<int> write_on([[maybe_unused]] const Model& model,
                                 [[maybe_unused]] const Pick& pick,
                                 [[maybe_unused]] std::vector<int> ids, [[maybe_unused]] int n,
                                 [[maybe_unused]] int eos) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex01_01
