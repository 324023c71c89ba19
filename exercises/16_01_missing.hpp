// Exercise 16_01: what an object still lacks.
//
// A schema says which members an object must have: `required`. While the object is being written,
// some members are there already: `written`, in the order in which they came.
//
//     missing(required, written)      the required names that are not written yet, in the order of
//                                     `required`
//     may_close(required, written)    may "}" come? Yes if no required name is missing.
//
// Example: if {name, age, job} are required and {age, likes} are written, name and job are missing,
// so the object may not close. Members that are not required, such as likes, change nothing. Two
// names are the same if all their bytes are: "Age" is not "age".
//
// Write two functions, of about 4 lines and 1 line. Check: make check EX=16_01
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex16_01 {

using Names = std::vector<std::string>;

inline Names missing([[maybe_unused]] const Names& required,
                     [[maybe_unused]] const Names& written) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

inline bool may_close([[maybe_unused]] const Names& required,
                      [[maybe_unused]] const Names& written) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex16_01
