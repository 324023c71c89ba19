// Exercise 13_1: a grammar in ten lines, and its mask over tokens.
//
// The language: texts in which the brackets ( ) [ ] { } are balanced. All other bytes may occur
// anywhere.
//
// - The state is the string of closing brackets that are due, the innermost last: after "f(a[" it
//   is ")]". A closing bracket other than the one that is due next is an error, and nothing repairs
//   it: the state is then std::nullopt.
// - A token is allowed if its bytes, read one after the other, make no error, and if the text can
//   still be completed. `room` is the number of bytes that the text may still have: the token's
//   bytes and one byte for each bracket that is due after it must fit.
// - The end-of-text token is allowed if no bracket is due. Any other token without bytes stands for
//   no text (a special token): it is never allowed.
//
// Write three functions, about 20 lines. Check: make check EX=13_1.
// Chapter 13 does this for JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex13_1 {

using Due = std::string;

// The state after one more byte.
inline std::optional<Due> next([[maybe_unused]] Due due, [[maybe_unused]] char byte) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// The state after all bytes of a token.
inline std::optional<Due> read([[maybe_unused]] const Due& due,
                               [[maybe_unused]] std::string_view token) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

// The ids of the tokens that may come next, ascending. tokens[id] holds the bytes of token id;
// `end` is the id of the end-of-text token.
inline std::vector<int> allowed([[maybe_unused]] const Due& due,
                                [[maybe_unused]] const std::vector<std::string>& tokens,
                                [[maybe_unused]] int end, [[maybe_unused]] std::size_t room) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex13_1
