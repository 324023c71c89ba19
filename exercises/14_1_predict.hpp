// Exercise 14_1: predict which of these tokens the grammar allows next.
//
// There is no function to invent here, only rules to read. Write the ids in ascending order, as in
// `return {0, 3, 7};`. A token is allowed if the text so far, followed by the token's bytes, can
// still become a text of the grammar. The end is allowed if the text so far is a text of the
// grammar. The vocabulary is `tokens`:
//
//      0 "1"    1 "12"    2 "123"    3 ","    4 ",1"    5 "-"    6 "0"    7 "01"
//      8 "a"    9 "an"   10 "and"   11 " "   12 "\xC3" 13 "\xA9" 14 "é"   15 the end (no bytes)
//
// Give six answers. Check: make check EX=14_1.
// Then try your own grammar: make run-14 ARGS="--part 3 --grammar FILE"
#pragma once

#include <string>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex14_1 {

inline const std::vector<std::string> tokens = {"1",    "12",   "123",      ",",  ",1",  "-",
                                                "0",    "01",   "a",        "an", "and", " ",
                                                "\xC3", "\xA9", "\xC3\xA9", ""};

// root ::= [0-9]{1,2} ("," [0-9]{1,2})*        nothing is written yet
inline std::vector<int> at_the_start() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// The same grammar; the text so far is 1
inline std::vector<int> after_one_digit() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// root ::= "-"? ("0" | [1-9] [0-9]*)           the text so far is -0
inline std::vector<int> after_minus_zero() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// root ::= word (" " word)*    word ::= "a" | "an" | "and"        the text so far is an
inline std::vector<int> inside_a_word() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// root ::= [^0-9,]+            nothing is written yet; a class matches whole characters of UTF-8
inline std::vector<int> not_a_digit() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// root ::= "caf" [a-zé]{1,2} "-"       the text so far is "caf\xC3", half of an é
inline std::vector<int> inside_a_character() {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex14_1
