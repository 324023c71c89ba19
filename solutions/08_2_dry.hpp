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
    const std::size_t n = ids.size();
    const auto breaks = [&](int id) {
        return std::find(breakers.begin(), breakers.end(), id) != breakers.end();
    };
    std::vector<int> longest(logits.size(), 0);
    for (std::size_t i = 0; i < n; ++i) {
        int length = 0;
        const auto matches = [&](std::size_t back) {
            return back <= i && ids[i - back] == ids[n - back];
        };
        for (std::size_t back = 1; matches(back) && !breaks(ids[n - back]); ++back) ++length;
        int& l = longest[static_cast<std::size_t>(ids[i])];
        l = std::max(l, length);
    }
    for (std::size_t t = 0; t < logits.size(); ++t) {
        if (longest[t] < allowed || breaks(static_cast<int>(t))) continue;
        double penalty = multiplier;
        for (int l = allowed; l < longest[t] && penalty < 1e30; ++l) penalty *= base;
        logits[t] = static_cast<float>(static_cast<double>(logits[t]) - std::min(penalty, 1e30));
    }
    // <<< to here
}

}  // namespace tbt::ex08_2
