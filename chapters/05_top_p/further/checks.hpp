// What the numbers of top-p and its relatives must be.
#pragma once

#include <string>

#include "lib/core/error.hpp"
#include "lib/show/short_number.hpp"

namespace tbt {

// Throws UsageError unless p is a probability.
inline void check_top_p(double p) {
    if (p >= 0 && p <= 1) return;
    throw UsageError("top-p: got " + short_number(p) +
                     ", expected a probability from 0 to 1; 1 turns it off, 0.9 is usual" +
                     (p >= 2 && p <= 100
                          ? " (" + short_number(p) + " percent are " + short_number(p / 100) + ")"
                          : std::string()));
}

// Throws UsageError unless the value lies in [0, 1], in (0, 1], in [0, 1).
inline void check_min_p(double m) {
    if (m >= 0 && m <= 1) return;
    throw UsageError("min-p: got " + short_number(m) +
                     ", expected a fraction from 0 to 1 of the largest probability; 0 turns it "
                     "off, 0.05 is usual");
}
inline void check_typical_p(double m) {
    if (m > 0 && m <= 1) return;
    throw UsageError("typical-p: got " + short_number(m) +
                     ", expected a probability above 0 and up to 1; 1 turns it off, 0.9 is usual");
}
inline void check_cutoff(const std::string& name, double epsilon) {
    if (epsilon >= 0 && epsilon < 1) return;
    throw UsageError(
        name + ": got " + short_number(epsilon) +
        ", expected a probability from 0 to below 1; 0 turns it off, 0.0003 to 0.004 is usual");
}

}  // namespace tbt
