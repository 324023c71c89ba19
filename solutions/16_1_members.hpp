// Exercise 16_1: the members of an object that are still to come.
//
// A schema names the `members` that an object may have, in any order and each at most once. Some of
// them are `required`, and there must be at least `least` members and at most `most`. (The schema
// makes sense: every required name is a member, and as numbers required ≤ most, least ≤ members,
// least ≤ most.)
//
// While an object is being written, only one thing matters: the set of members that are not written
// yet, `to_come`.
//
//     fewest      how many more must be written: every required one in to_come, and enough of any
//                 kind to reach `least`
//     may_close   may the object end? Yes if no more must be written.
//     may_come    the members that may be written next: those in to_come after which the object
//                 can still be completed with at most `most` members in all
//
// So an optional member may be refused although there is room for one more: a required member may
// need this room. Write three functions, about 15 lines. Check: make check EX=16_1
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
    const std::size_t written = shape.members.size() - to_come.size();
    std::size_t required = 0;
    for (const std::string& name : shape.required) required += to_come.count(name);
    return std::max(required, shape.least > written ? shape.least - written : 0);
    // <<< to here
}

inline bool may_close([[maybe_unused]] const Shape& shape, [[maybe_unused]] const Names& to_come) {
    // >>> write here
    return fewest(shape, to_come) == 0;
    // <<< to here
}

inline Names may_come([[maybe_unused]] const Shape& shape, [[maybe_unused]] const Names& to_come) {
    // >>> write here
    Names allowed;
    const std::size_t written = shape.members.size() - to_come.size();
    for (const std::string& name : to_come) {
        Names after = to_come;
        after.erase(name);
        if (written + 1 + fewest(shape, after) <= shape.most) allowed.insert(name);
    }
    return allowed;
    // <<< to here
}

}  // namespace tbt::ex16_1
