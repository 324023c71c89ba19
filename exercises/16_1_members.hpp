// Exercise 16_1: the members of an object that are still to come.
//
// A schema names the `members` that an object may have, in any order and each at most once; some of
// them are `required`, and there must be at least `least` members and at most `most`. (It makes
// sense: every required one is a member, and required ≤ most, least ≤ members, least ≤ most.)
//
// Of an object that is being written, only one thing matters: the set of members still `to_come`.
//
//     fewest      how many more must be written: every required one that is still to come, and as
//                 many of any kind as are missing to `least`
//     may_close   nothing more must be written
//     may_come    the members that may be written next: still to come, and after it the object can
//                 be finished with at most `most` members in all
//
// The last one is why an optional member may be refused while there is room for one: the room may
// belong to a required one. Write three functions, about 15 lines. Check: make check EX=16_1
#pragma once

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>

#include "exercises/exercise.hpp"

namespace tbt::ex16_1 {

using Names = std::set<std::string>;

struct Shape {
    Names members, required;
    std::size_t least = 0, most = 1000;
};

inline std::size_t fewest([[maybe_unused]] const Shape& shape,
                          [[maybe_unused]] const Names& to_come) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

inline bool may_close([[maybe_unused]] const Shape& shape, [[maybe_unused]] const Names& to_come) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

inline Names may_come([[maybe_unused]] const Shape& shape, [[maybe_unused]] const Names& to_come) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex16_1
