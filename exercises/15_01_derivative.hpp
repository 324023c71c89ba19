// Exercise 15_01: the derivative of a regular expression [Brzozowski 1964].
//
// What may follow a byte b, in a language given by an expression e, is given by an expression, too:
// the derivative d(e). And e matches a text if what is left after its last byte may be empty.
//
//     e                     may be empty               d(e) after b
//     nothing, ∅            no                         ∅
//     empty, ε              yes                        ∅
//     a byte, low to high   no                         ε if low <= b <= high, else ∅
//     choice, e_1|e_2|…     if one of them may         d(e_1) | d(e_2) | …
//     sequence, e_1 e_2     if both may                d(e_1) e_2; if e_1 may be empty: | d(e_2)
//     star, e_1*            yes                        d(e_1) e_1*
//
// By hand: e = a(b|c)*; after "a" is left (b|c)*, which may be empty, so "a" matches; after "ab"
// the same is left; after "b" nothing.
//
// Give ∅ as Regex(), ε as any_times({}); either(a, b) is a|b and then(a, b) is ab, both with what
// can be simplified simplified.
//
// Write two functions, about 5 and 12 lines. Check: make check EX=15_01
#pragma once

#include <algorithm>

#include "chapters/15_regular/plain_regex.hpp"
#include "exercises/exercise.hpp"

namespace tbt::ex15_01 {

inline bool may_end([[maybe_unused]] const Regex& e) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// byte: 0 … 255.
inline Regex rest_after([[maybe_unused]] const Regex& e, [[maybe_unused]] int byte) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex15_01
