// Exercise 03_4: dynamic temperature (dynatemp, KoboldCpp and llama.cpp): each token sets its own.
//
// One temperature for a whole text is a compromise. Where only one word fits,
// boldness makes a mistake; where many fit, caution makes a dull text.
// So let the distribution itself say how much there is to choose:
//
//     p = softmax(s)         H = −Σ p ln p  (0 · ln 0 = 0)         n = how many logits are not −∞
//     h = H / ln n           0: sure, 1: all equal
//     T = low + (high − low) · h^exponent
//
// With one token left (n = 1) there is nothing to choose: T = low. Refuse, as a UsageError:
// low below 0, high below low, an exponent not above 0, and anything not finite.
// Rounding must not carry T out of [low, high].
//
// portable_exp and portable_log give the same digits on every machine:
// x^e = exp(e · ln x) for x > 0.
//
// The chapter's own version is in
// chapters/03_temperature/further/plain_dynamic_temperature.hpp; write yours first.
//
// Write one function, about 15 lines. Check: make check EX=03_4.
// Then see T change: make try EX=03_4
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>

#include "chapters/03_temperature/plain_temperature.hpp"
#include "exercises/exercise.hpp"
#include "lib/core/error.hpp"
#include "lib/core/math.hpp"

namespace tbt::ex03_4 {

inline double dynamic_temperature([[maybe_unused]] std::span<const float> logits,
                                  [[maybe_unused]] double low, [[maybe_unused]] double high,
                                  [[maybe_unused]] double exponent = 1) {
    // >>> write here
    if (!(low >= 0 && high >= low && std::isfinite(high) && exponent > 0 &&
          std::isfinite(exponent)))
        throw UsageError("dynamic temperature: got " + std::to_string(low) + " to " +
                         std::to_string(high) + ", exponent " + std::to_string(exponent) +
                         ", expected 0 <= low <= high, exponent > 0");
    const auto gone =
        std::count(logits.begin(), logits.end(), -std::numeric_limits<float>::infinity());
    const double n = static_cast<double>(logits.size()) - static_cast<double>(gone);
    if (n == 1) return low;
    double entropy = 0;
    for (const double p : softmax_at(logits, 1)) {
        if (p > 0) entropy -= p * portable_log(p);
    }
    const double h = std::min(entropy / portable_log(n), 1.0);
    return h > 0 ? std::clamp(low + (high - low) * portable_exp(exponent * portable_log(h)), low,
                              high)
                 : low;
    // <<< to here
}

}  // namespace tbt::ex03_4
