// Exercise 13_01: the string of JSON, as an automaton over bytes.
//
// A string begins and ends with a quotation mark. Between the two marks every byte from 0x20 on
// stands for itself, with two exceptions: " ends the string, and \ begins an escape, which is one
// of
//
//     \"  \\  \/  \b  \f  \n  \r  \t        or \u and four hexadecimal digits (0-9 a-f A-F)
//
// Bytes below 0x20 (a line break, a tab) must not occur in a string. The automaton reads byte by
// byte and remembers where it is:
//
//     before    nothing was read yet: only " may come
//     inside    between the quotation marks
//     escape    after a backslash
//     digits    in \uXXXX: `missing` digits must still come
//     done      the closing " was read: nothing more may come
//     dead      there was an error, and nothing repairs it
//
// `missing` is 0 in every place except `digits`. Bytes from 0x80 on are parts of UTF-8 characters:
// they stand for themselves, too.
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
    if (state.place == Place::before && byte == '"') return {Place::inside};
    if (state.place == Place::inside && byte == '"') return {Place::done};
    if (state.place == Place::inside && byte == '\\') return {Place::escape};
    if (state.place == Place::inside && byte >= 0x20) return state;
    if (state.place == Place::escape && byte == 'u') return {Place::digits, 4};
    if (state.place == Place::escape &&
        std::string_view("\"\\/bfnrt").find(static_cast<char>(byte)) != std::string_view::npos)
        return {Place::inside};
    if (state.place == Place::digits && std::isxdigit(byte))
        return state.missing > 1 ? State{Place::digits, state.missing - 1} : State{Place::inside};
    return {Place::dead};
    // <<< to here
}

}  // namespace tbt::ex13_01
