// Exercise 15_01: the derivative of a regular expression [Brzozowski 1964].
//
// An expression e describes a language. What may follow a first byte b in this language is
// described by another expression: the derivative d(e). So take the derivative for one byte of a
// text after the other: e matches the text if the last derivative may be empty, that is, matches
// the empty text.
//
//     e                     may be empty               d(e) after b
//     nothing, ∅            no                         ∅
//     empty, ε              yes                        ∅
//     a byte, low to high   no                         ε if low <= b <= high, else ∅
//     choice, e_1|e_2|…     if one of them may         d(e_1) | d(e_2) | …
//     sequence, e_1 e_2     if both may                d(e_1) e_2; if e_1 may be empty: | d(e_2)
//     star, e_1*            yes                        d(e_1) e_1*
//
// Example: e = a(b|c)*. The derivative after "a" is (b|c)*, which may be empty, so "a" matches.
// After "ab" it is the same; after "b" it is ∅.
//
// Write ∅ as Regex() and ε as any_times({}). either(a, b) is a|b, and then(a, b) is ab; both
// simplify the result where they can.
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
