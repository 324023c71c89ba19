// Greedy decoding: always the most probable token. And how to see that it has got stuck.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <string>

#include "chapters/01_next_token/next_token.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"

namespace tbt {

// argmax s_i; of equal logits the lower id. −∞ is never chosen. Errors: no logits, a NaN, all −∞.
inline int argmax(std::span<const float> logits) {
    int best = -1;
    for (std::size_t i = 0; i < logits.size(); ++i) {
        if (std::isnan(logits[i]))
            throw Error("greedy: the logit of token " + std::to_string(i) +
                        " is NaN; the model is broken");
        if (logits[i] > (best < 0 ? -INFINITY : logits[index(best)])) best = to_int(i);
    }
    if (best < 0)
        throw Error(
            "greedy: every token is masked (all logits are -infinity), so there is nothing to "
            "choose");
    return best;
}

// A text that ends in the same passage over and over: ids[start …] = period ids,
// at least `repeats` times.
struct Loop {
    int start = 0;    // where the repetition begins
    int period = 0;   // in tokens; 0: no loop
    int repeats = 0;  // complete ones

    explicit operator bool() const { return period > 0; }
};

// The shortest passage that the text ends with at least twice,
// and three times if it is a single token ("very very" is language, "very very very" is a loop).
// Looks from the end, so a loop is found while it runs.
inline Loop find_loop(std::span<const int> ids) {
    const int n = to_int(ids.size());
    const auto at = [&](int i) { return ids[index(i)]; };
    for (int period = 1; 2 * period <= n; ++period) {
        int start = n - period;
        while (start > 0 && at(start - 1) == at(start - 1 + period)) --start;
        const int repeats = (n - start) / period;
        if (repeats >= (period == 1 ? 3 : 2)) return {start, period, repeats};
    }
    return {};
}

}  // namespace tbt
