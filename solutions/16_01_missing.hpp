// Exercise 16_01: what an object still lacks.
//
// A schema says which members an object must have: `required`. Of an object that is being written
// some members are there: `written`, in the order in which they came.
//
//     missing(required, written)      the required names that are not written yet, in the order of
//                                     `required`
//     may_close(required, written)    may "}" come? If no required name is missing.
//
// By hand: required {name, age, job}, written {age, likes}: missing are name and job, so the object
// may not close. Members that are not required, like likes, change nothing. Two names are the same
// if all their bytes are: "Age" is not "age".
//
// Write two functions, about 4 lines and 1. Check: make check EX=16_01
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
    Names left;
    for (const std::string& name : required)
        if (std::find(written.begin(), written.end(), name) == written.end()) left.push_back(name);
    return left;
    // <<< to here
}

inline bool may_close([[maybe_unused]] const Names& required,
                      [[maybe_unused]] const Names& written) {
    // >>> write here
    return missing(required, written).empty();
    // <<< to here
}

}  // namespace tbt::ex16_01
