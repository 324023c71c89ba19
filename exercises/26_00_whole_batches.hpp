// Exercise 26_00: how many passes do whole batches take?
//
// `tokens` says how many tokens each request needs; each of them takes one pass. The first `slots`
// requests run together until the longest of them is done. Then the next `slots` requests run, and
// so on; the last batch may have fewer.
//
// Example: 3, 9, 2, 5 in two slots take 9 + 5 = 14 passes. There is at least one slot. Without
// requests there are no passes.
//
// Write one function, about 5 lines. Check: make check EX=26_00
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex26_00 {

inline int passes([[maybe_unused]] const std::vector<int>& tokens,
                  [[maybe_unused]] std::size_t slots) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex26_00
