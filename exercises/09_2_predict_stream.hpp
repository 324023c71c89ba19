// Exercise 09_2: predict what a stream shows, and when.
//
// Tokens arrive one after the other. A stream shows a byte as soon as it is certain:
// not while it could still become part of a stop string, not while its character is incomplete.
// A stop string is cut off, and nothing follows it. At the end of the text, what waited is shown;
// a character that never came to its end becomes U+FFFD ("\xEF\xBF\xBD").
//
// For each case write what is shown after each token, "" for nothing,
// and at last what the end of the text adds: one string more than there are tokens.
// With pencil and paper, before you look at text_stream.hpp.
//
//     a. stop "\n\nUser:"      "Hi"  " there\n"  "\nUs"  "e it"       (no stop string after all)
//     b. stop "\n\nUser:"      "Hi\n"  "\n\n"  "User"  ": x"  "y"
//     c. stop "aab"            "a"  "a"  "a"  "b"  "c"
//     d. no stop strings       "caf"  "\xC3"  "\xA9"  "!\xE2\x82"    (C3 A9 is é, E2 82 AC is €)
//     e. stops "end", "den"    "d"  "e"  "n"  "d"
//
// Five lines. Check: make check EX=09_2
#pragma once

#include <string>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex09_2 {

inline std::vector<std::string> case_a() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

inline std::vector<std::string> case_b() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

inline std::vector<std::string> case_c() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

inline std::vector<std::string> case_d() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

inline std::vector<std::string> case_e() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex09_2
