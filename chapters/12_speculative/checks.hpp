// Checks of the arguments of a draw and of a draft, shared by the plain and the fast code.
#pragma once

#include <limits>
#include <span>
#include <string>

#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/show/short_number.hpp"

namespace tbt {

// Returns the sum of the weights. Throws Error unless u is in [0, 1), no weight is negative or NaN,
// and at least one is above 0.
inline double check_draw(std::span<const double> weights, double u) {
    if (!(u >= 0 && u < 1))
        throw Error("draw: u is " + short_number(u) + ", expected a number in [0, 1)");
    double sum = 0;
    for (const double w : weights) {
        if (!(w >= 0)) throw Error("draw: a weight is " + short_number(w) + ", expected 0 or more");
        sum += w;
    }
    if (!(sum > 0 && sum <= std::numeric_limits<double>::max()))
        throw Error("draw: the weights of " + std::to_string(weights.size()) + " tokens sum to " +
                    short_number(sum) + ", expected a number above 0");
    return sum;
}

// Throws UsageError unless a round may draft this many tokens.
inline void check_draft_length(long long length) {
    if (length >= 1 && length <= 1024) return;
    throw UsageError("num-assistant-tokens: got " + std::to_string(length) +
                     ", expected 1 or more, up to 1024; without a draft use chapter 10");
}

// Throws Error unless the acceptance (the share of right guesses) is from 0 to 1, and the length of
// a draft from 0 to 1024.
inline void check_acceptance(double acceptance, int length) {
    if (!(acceptance >= 0 && acceptance <= 1) || length < 0 || length > 1024)
        throw Error("draft length: acceptance " + short_number(acceptance) + " and " +
                    std::to_string(length) + " tokens, expected 0 to 1 and 0 to 1024");
}

// Throws UsageError unless the cost of a guess is above 0.
inline void check_guess_cost(double cost) {
    if (!(cost > 0 && cost <= 1e9))
        throw UsageError("draft length: a guess costs " + short_number(cost) +
                         " tokens, expected a number above 0");
}

}  // namespace tbt
