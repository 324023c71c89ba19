// Dynamic temperature (KoboldCpp, llama.cpp): each token sets its own, by how much there is to
// choose. The definition that the fast version in chapter 06 is compared with.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "chapters/03_temperature/plain_temperature.hpp"
#include "lib/core/error.hpp"
#include "lib/core/math.hpp"
#include "lib/show/short_number.hpp"

namespace tbt {

// Throws UsageError unless the range and the exponent can be used.
inline void check_dynamic_temperature(double range, double exponent) {
    if (!(std::isfinite(range) && range >= 0))
        throw UsageError("dynatemp-range: got " + short_number(range) +
                         ", expected a number >= 0; 0 turns it off, 0.5 is usual");
    if (!(std::isfinite(exponent) && exponent > 0))
        throw UsageError("dynatemp-exp: got " + short_number(exponent) +
                         ", expected a number above 0; 1 is usual");
}

// H is the entropy of n candidates: h = H / ln n goes from 0 (sure) to 1 (all equal), and
//
//   T(h) = low + (high − low)·h^exponent,  low = max(0, T − range),  high = T + range
//
// Where one candidate is left there is nothing to choose: h = 0. T(h) is rounded to a multiple of
// 2^-20, so that it does not depend on the last bit of an entropy.
inline double dynamic_temperature(double H, std::size_t n, double T, double range,
                                  double exponent) {
    check_temperature(T), check_dynamic_temperature(range, exponent);
    const double low = std::max(0.0, T - range), high = T + range;
    const double h = n > 1 ? std::clamp(H / portable_log(static_cast<double>(n)), 0.0, 1.0) : 0;
    const double power = h > 0 ? portable_exp(exponent * portable_log(h)) : 0;
    return std::clamp(std::ldexp(std::nearbyint(std::ldexp(low + (high - low) * power, 20)), -20),
                      low, high);
}

// The temperature for this row.
inline double dynamic_temperature_at(std::span<const float> s, double T, double range,
                                     double exponent) {
    const auto gone = std::count(s.begin(), s.end(), masked);
    return dynamic_temperature(entropy_at(s, 1), s.size() - static_cast<std::size_t>(gone), T,
                               range, exponent);
}

}  // namespace tbt
