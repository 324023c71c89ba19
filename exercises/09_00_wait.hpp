// Exercise 09_00: how many bytes must wait?
//
// A text grows at its end, and must stop where the string `stop` is complete. So the bytes at its
// end that may become `stop` must not be shown yet.
//
//     must_wait(text, stop)   the number of bytes: the length of the longest suffix of the
//                             text that is a prefix of `stop`, but not all of it
//
// Example, stop "END": after "a E" one byte must wait, after "a EN" two, after "a ENE" one
// again, and after "a ENEA" none.
//
// stop has one byte at least, and is not in the text. Write one function, about 3 lines.
// Check: make check EX=09_00
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include "exercises/exercise.hpp"

namespace tbt::ex09_00 {

inline std::size_t must_wait([[maybe_unused]] const std::string& text,
                             [[maybe_unused]] const std::string& stop) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex09_00
