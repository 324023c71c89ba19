// What a temperature and a row of logits must be. The fast version asks the same questions.
#pragma once

#include <cmath>
#include <span>
#include <string>

#include "lib/core/error.hpp"
#include "lib/show/short_number.hpp"

namespace tbt {

// The logit of a token that cannot be chosen.
inline constexpr float masked = -INFINITY;

// Throws UsageError unless T is a temperature.
inline void check_temperature(double T) {
    if (std::isfinite(T) && T >= 0) return;
    throw UsageError("temperature: got " + short_number(T) +
                     ", expected a number >= 0; 0 always takes the most probable token, "
                     "0.7 to 1 is usual, above 1 gets wilder");
}

// Throws Error unless every logit is finite or −∞, and one at least is finite.
inline void check_row(std::span<const float> s) {
    bool all_masked = true;
    for (std::size_t i = 0; i < s.size(); ++i) {
        all_masked = all_masked && s[i] == masked;
        if (s[i] < INFINITY) continue;
        throw Error("sampling: the logit of token " + std::to_string(i) + " is " +
                    (std::isnan(s[i]) ? "NaN" : "+infinity") +
                    ", expected a finite number or -infinity; the model or a bias is broken");
    }
    if (all_masked)
        throw Error(
            "sampling: every token is masked (all logits are -infinity), so nothing can be chosen; "
            "loosen the bans");
}

}  // namespace tbt
