// Exercise 14_00: a byte is read, and every way to go on is followed.
//
// A text that is being written may become complete in several ways. `ways` lists them: each is a
// string, what must still come to complete the text in this way.
//
//     after(ways, byte)    the ways after this byte: of every way that begins with the byte, the
//                          rest. The other ways are dropped, the order stays.
//     may_end(ways)        may the text end here? Yes if one of the ways is empty.
//     possible(ways)       the bytes that may come next, each once, ascending
//
// Example: with the ways {"+1", "", "+2", "-"} the text may end, and + or - may come. After + the
// ways are "1" and "2", after - there is one way, "". After any other byte no way is left: the text
// is refused.
//
// Write three functions, of about 4 lines, 1 line and 4 lines. Check: make check EX=14_00
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
    Ways rest;
    for (const std::string& way : ways)
        if (way.starts_with(byte)) rest.push_back(way.substr(1));
    return rest;
    // <<< to here
}

inline bool may_end([[maybe_unused]] const Ways& ways) {
    // >>> write here
    return std::count(ways.begin(), ways.end(), "") > 0;
    // <<< to here
}

inline std::set<char> possible([[maybe_unused]] const Ways& ways) {
    // >>> write here
    std::set<char> bytes;
    for (const std::string& way : ways)
        if (!way.empty()) bytes.insert(way[0]);
    return bytes;
    // <<< to here
}

}  // namespace tbt::ex14_00
