// Temperature: how much the wheel is smoothed before it is spun.
#pragma once

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "chapters/03_temperature/candidates.hpp"
#include "lib/error.hpp"

namespace tbt {

// Throws UsageError unless T is a temperature.
inline void check_temperature(double T) {
    if (std::isfinite(T) && T >= 0) return;
    throw UsageError("temperature: got " + short_number(T) +
                     ", expected a number >= 0; 0 always takes the most probable token, "
                     "0.7 to 1 is usual, above 1 gets wilder");
}

// p_i = e^(s_i/T) / Σ_j e^(s_j/T) [Ackley, Hinton & Sejnowski 1985]
//
// T < 1 sharpens, T > 1 flattens, and the order of the tokens never changes.
// As T goes to 0, all probability goes to the largest logit; T = 0 is defined as that limit,
// and of equal logits the lower id wins.
inline void apply_temperature(Candidates& c, double T) {
    check_temperature(T);
    if (T == 0) {
        c.keep({c.largest(), 1});
    } else {
        c.multiply_temperature(T);
    }
}

// The formula as a function: one probability for each logit.
inline std::vector<double> softmax_at(std::span<const float> logits, double T) {
    Candidates c(logits);
    apply_temperature(c, T);
    return c.probabilities();
}

}  // namespace tbt
