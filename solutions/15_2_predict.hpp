// Exercise 15_2: predict which of these characters may come next.
//
//     a b c 0 1 2 3 4 5 6 7 8 9 - $          $ stands for the end of the text
//
// A character may come next if the text so far, followed by it, can still become a text that
// matches as a whole. The end may come if the text so far already matches. Answer with the
// characters in the order above, without spaces: `return "ab0$";`. If nothing may come: `return
// "";`.
//
// Give seven answers. Check: make check EX=15_2.
// Then look at your own expression: make run-15 ARGS='--part 2 --expression "…"'
#pragma once

#include <string>

#include "exercises/exercise.hpp"

namespace tbt::ex15_2 {

// (ab|a)*c                       the text so far is a
inline std::string after_one_a() {
    // >>> write here
    return "abc";
    // <<< to here
}

// a{2,3}b?                       the text so far is aa
inline std::string after_two_a() {
    // >>> write here
    return "ab$";
    // <<< to here
}

// -?(0|[1-9][0-9]*)              the text so far is 0
inline std::string after_zero() {
    // >>> write here
    return "$";
    // <<< to here
}

// (a|b)*a(a|b)                   the text so far is aba
inline std::string last_but_one() {
    // >>> write here
    return "ab";  // one letter is missing
    // <<< to here
}

// a whole number from 18 to 120  the text so far is 1
inline std::string in_a_range() {
    // >>> write here
    return "01289";
    // <<< to here
}

// a date that exists             the text so far is 2023-02-2
inline std::string in_february() {
    // >>> write here
    return "012345678";
    // <<< to here
}

// both [a-c]+ and .{2,3}, but neither ab nor abc: three languages in one    the text so far is ab
inline std::string and_but_not() {
    // >>> write here
    return "ab";  // aba and abb
    // <<< to here
}

}  // namespace tbt::ex15_2
