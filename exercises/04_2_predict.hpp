// Exercise 04_2: predict which tokens a cut keeps.
//
// There is no function to invent: apply the rules of this chapter, and write the ids that can still
// be drawn, ascending, as in `return {0, 3, 7};`. Use pencil and paper, before you run anything.
// A token's id is its index in the list, from 0; gone is −∞, a banned token.
//
// Give six answers. Check: make check EX=04_2
#pragma once

#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex04_2 {

// [2, 1, 2, 0, 2]   the 2 most probable
inline std::vector<int> equal_logits() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// [2, 1, 2, 0, 2] the 2 most probable, by a program that keeps "what is at least
// as large as the 2nd"
inline std::vector<int> by_threshold() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// [gone, 3, gone, 1, 5]   the 4 most probable
inline std::vector<int> few_left() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// [1, 7, 2, 7, 3]   first temperature 0, then the 3 most probable
inline std::vector<int> frozen() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// [4, gone, -1, 2]   k = 0
inline std::vector<int> switched_off() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// [-3, -1, -2, -4] the 2 most probable, by a program that sets the others to 0 instead of −∞.
// All four can still be drawn; which ones are now more probable than token 1?
inline std::vector<int> zeroed() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex04_2
