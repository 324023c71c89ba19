// Exercise 13_00: what closes a JSON text that is being written?
//
// `open` holds the brackets that are open, the outermost first: for {"a":[[1 it is {[[.
//
//     closing(open)           the brackets that close all of them, in the order in which they are
//                             written: the innermost first. } closes {, and ] closes [.
//     fits(open, budget)      are these at most `budget` brackets?
//
// Example: ]]} closes {[[. It fits into three bytes, but not into two.
//
// `open` contains only { and [ . Write two functions, of about 4 lines and 1 line.
// Check: make check EX=13_00
#pragma once

#include <cstddef>
#include <string>

#include "exercises/exercise.hpp"

namespace tbt::ex13_00 {

inline std::string closing([[maybe_unused]] const std::string& open) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

inline bool fits([[maybe_unused]] const std::string& open, [[maybe_unused]] std::size_t budget) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex13_00
