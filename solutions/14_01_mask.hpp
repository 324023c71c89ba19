// Exercise 14_01: the mask over tokens, by trial.
//
// A grammar speaks of bytes, a model of tokens. So try every token: it is legal if the recognizer
// accepts all its bytes, one after the other, from its state now. Then
//
//     - a token without bytes stands for no text (a special token): never legal
//     - the end-of-text token is legal exactly where the text may end (accepts()), whatever
//       its bytes are; eos = −1: there is none
//     - the logits of tokens that are not legal become −∞, the others stay as they are
//
// Where no token is legal, the text has run into a dead end: throw Error.
//
// recognizer.next(state, byte) is the state after one more byte, Recognizer::dead if it cannot
// follow; dead must not be asked again. Any grammar of chapters 13 to 16 is such a recognizer.
//
// Write one function, about 12 lines. Check: make check EX=14_01
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "exercises/exercise.hpp"
#include "lib/error.hpp"
#include "lib/grammar/recognizer/recognizer.hpp"

namespace tbt::ex14_01 {

// tokens: the bytes of each; s: one logit for each, changed in place.
inline void mask_by_trial([[maybe_unused]] Recognizer& recognizer,
                          [[maybe_unused]] Recognizer::State now,
                          [[maybe_unused]] const std::vector<std::string>& tokens,
                          [[maybe_unused]] int eos, [[maybe_unused]] std::vector<float>& s) {
    // >>> write here
    bool any = false;
    for (std::size_t id = 0; id < tokens.size(); ++id) {
        Recognizer::State state = now;
        for (const char c : tokens[id])
            if (state != Recognizer::dead)
                state = recognizer.next(state, static_cast<unsigned char>(c));
        bool legal = !tokens[id].empty() && state != Recognizer::dead;
        if (static_cast<int>(id) == eos) legal = recognizer.accepts(now);
        if (!legal) s[id] = -std::numeric_limits<float>::infinity();
        any = any || legal;
    }
    if (!any) throw Error("mask: no token may follow");
    // <<< to here
}

}  // namespace tbt::ex14_01
