// Exercise 14_01: the mask over tokens, by trial.
//
// A grammar describes bytes, a model predicts tokens. So try every token: it is legal if the
// recognizer accepts all its bytes, one after the other, beginning at the current state. The
// details:
//
//     - a token without bytes stands for no text (a special token): it is never legal
//     - the end-of-text token is legal exactly if the text may end now (accepts()), whatever
//       its bytes are; eos = −1 means that there is no such token
//     - the logits of tokens that are not legal become −∞; all other logits stay as they are
//
// If no token is legal, the text has run into a dead end: throw Error.
//
// recognizer.next(state, byte) returns the state after one more byte, or Recognizer::dead if the
// byte cannot follow. Never call it with the state dead. Every grammar of chapters 13 to 16 is such
// a recognizer.
//
// Write one function, about 12 lines. Check: make check EX=14_01
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "exercises/exercise.hpp"
#include "lib/core/error.hpp"
#include "lib/grammar/recognizer/recognizer.hpp"

namespace tbt::ex14_01 {

// tokens: the bytes of each token; s: one logit for each token, changed in place.
inline void mask_by_trial([[maybe_unused]] Recognizer& recognizer,
                          [[maybe_unused]] Recognizer::State now,
                          [[maybe_unused]] const std::vector<std::string>& tokens,
                          [[maybe_unused]] int eos, [[maybe_unused]] std::vector<float>& s) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex14_01
