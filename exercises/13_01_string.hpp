// Exercise 13_01: the string of JSON, as an automaton over bytes.
//
// A string is "…". Between the quotation marks every byte from 0x20 on stands for itself, but for
// two: " ends the string, and \ begins an escape: one of
//
//     \"  \\  \/  \b  \f  \n  \r  \t        or \u and four hexadecimal digits (0-9 a-f A-F)
//
// Bytes below 0x20 (a line break, a tab) must not occur in a string. The automaton reads
// byte by byte and remembers where it is:
//
//     before    nothing was read yet: only " may come
//     inside    between the quotation marks
//     escape    after a backslash
//     digits    in \uXXXX: `missing` digits are still to come
//     done      the closing " was read: nothing may come any more
//     dead      a mistake, which nothing repairs
//
// `missing` is 0 in all places but digits. Bytes from 0x80 on are parts of characters: let them be.
//
// Write one function, about 12 lines. Check: make check EX=13_01
#pragma once

#include <cctype>
#include <string_view>

#include "exercises/exercise.hpp"

namespace tbt::ex13_01 {

enum class Place { before, inside, escape, digits, done, dead };

struct State {
    Place place = Place::before;
    int missing = 0;
    bool operator==(const State&) const = default;
};

inline State next([[maybe_unused]] const State& state, [[maybe_unused]] unsigned char byte) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex13_01
