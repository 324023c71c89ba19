// Exercise 08_2: DRY, "don't repeat yourself" [p-e-w 2024, text-generation-webui].
//
// The repetition penalty hits every word that occurred, and a ban on n-grams forbids even names.
// DRY measures how long the repeated passage is that a token would continue, and spares short ones:
//
//     L(t) = the longest match that t would continue: over all earlier places i
//            with ids_i = t, the number of tokens just before i that equal the
//            last tokens of the text, one by one
//     L(t) >= allowed:   s_t ← s_t − multiplier·base^(L(t) − allowed),
//                        but never more than 10^30 less
//
// A breaker (a newline, a quotation mark) ends a match: it is not counted,
// nor is what comes before it, and a breaker is never penalised itself.
// So the form of a dialogue may repeat.
//
// allowed >= 1. A multiplier of 0 is off. A logit of −∞ stays −∞. Ids lie within the vocabulary.
//
// The chapter's own version is in chapters/08_penalties/plain_dry.hpp; write yours first.
//
// Write one function, about 18 lines. Check: make check EX=08_2
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "exercises/exercise.hpp"

namespace tbt::ex08_2 {

// Changes the logits (V).
inline void dry([[maybe_unused]] std::span<float> logits, [[maybe_unused]] std::span<const int> ids,
                [[maybe_unused]] double multiplier, [[maybe_unused]] double base,
                [[maybe_unused]] int allowed, [[maybe_unused]] std::span<const int> breakers) {
    // >>> write here
    throw NotWritten();
    // <<< to here
}

}  // namespace tbt::ex08_2
