// How texts of different lengths are compared.
#pragma once

#include <cmath>
#include <cstddef>
#include <string>

#include "lib/core/error.hpp"
#include "lib/core/math.hpp"
#include "lib/show/short_number.hpp"

namespace tbt {

// score = Σ ln p / n^α with n the number of generated tokens, the end-of-text token
// included, the prompt not.
//
// α = 0 is the text's probability, which only falls with every token; α = 1 the mean of ln p,
// the logarithm of 1/perplexity. Sums are negative, so a larger α favours longer texts:
// a "penalty" on brevity.
inline double length_normalised(double sum, std::size_t n, double alpha) {
    if (!std::isfinite(alpha))
        throw UsageError("length-penalty: got " + short_number(alpha) +
                         ", expected a finite number");
    if (alpha == 0 || n == 0) return sum;
    const auto length = static_cast<double>(n);
    return sum / (alpha == 1 ? length : portable_exp(alpha * portable_log(length)));
}

}  // namespace tbt
