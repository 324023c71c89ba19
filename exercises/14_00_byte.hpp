// Exercise 14_00: a byte is read, and every way to go on is followed.
//
// What may still come is a list of texts, side by side: one for each way in which the text may
// become complete.
//
//     after(ways, byte)    what may still come after this byte: of every way that begins with it
//                          the rest; the others are gone. In the same order.
//     may_end(ways)        may the text end here? If one of the ways has nothing left.
//     possible(ways)       the bytes that may come next, each once, ascending
//
// By hand: ways {"+1", "", "+2", "-"}: the text may end, and + or - may come. After + are left "1"
// and "2". After any other byte but - nothing is left: the text is refused.
//
// Write three functions, about 4, 1 and 4 lines. Check: make check EX=14_00
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex14_00 {

using Ways = std::vector<std::string>;

inline Ways after([[maybe_unused]] const Ways& ways, [[maybe_unused]] char byte) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

inline bool may_end([[maybe_unused]] const Ways& ways) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

inline std::set<char> possible([[maybe_unused]] const Ways& ways) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex14_00
