// Exercise 09_01: a stop string across tokens.
//
// Tokens arrive one after the other, and their bytes are shown as soon as they are certain. A text
// ends where the stop string is complete for the first time: neither the string itself nor
// anything after it is shown. It may begin in one token and end in another. So the longest tail of
// the text that could still become the stop string must wait, and nothing else.
//
// Example: stop "END" and the tokens
//
//     "a E"   shows "a "     the E could become END
//     "NE"    shows "EN"     ENE is no END, but the new E could become one
//     "NDx"   shows ""       there it is; whatever comes now shows "" as well
//
// When the text is over without a stop string, finish shows what waited, once.
//
// Write two functions, about 10 and 3 lines. Check: make check EX=09_01
#pragma once

#include <algorithm>
#include <string>

#include "exercises/exercise.hpp"

namespace tbt::ex09_01 {

struct Stream {
    std::string stop;      // at least one byte
    std::string waiting;   // not shown yet
    bool stopped = false;  // the stop string was there
};

// Takes a token; returns what can be shown now.
inline std::string push([[maybe_unused]] Stream& stream,
                        [[maybe_unused]] const std::string& token) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// The text is over; returns what still waited.
inline std::string finish([[maybe_unused]] Stream& stream) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex09_01
