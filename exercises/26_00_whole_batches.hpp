// Exercise 26_00, a warm-up: how many passes do whole batches take?
//
// The first `slots` requests run together until the longest of them is done, then the next ones,
// and so on; the last batch may have fewer. tokens: how many each request needs, a pass for each.
//
// By hand: 3, 9, 2, 5 in two slots take 9 + 5 = 14 passes. There is one slot at least; without
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
