// Top-p, or nucleus sampling: the fewest tokens that together have probability p.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "chapters/03_temperature/candidates.hpp"
#include "lib/error.hpp"
#include "lib/kernels/select.hpp"

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

// A probability mass of all that c holds, in whole quanta.
inline std::uint64_t quanta(Candidates& c, double mass) {
    const std::uint64_t all = c.total_weight();
    return std::min(all,
                    static_cast<std::uint64_t>(std::nearbyint(mass * static_cast<double>(all))));
}

// Keeps the smallest prefix, most probable first, whose mass is at least p [Holtzman
// et al. 2020, §3.1]
//
//   V_p = the shortest {i_1, …, i_n} with s_i1 >= s_i2 >= … and Σ w_i >= p·Σ w
//
// "At least", not "above": the token that reaches p is the last to stay. Never empty:
// p = 0 keeps one. p = 1 keeps all. Both sides are whole numbers (p·Σ w rounded to one),
// so the answer depends on no order of summation: .4 + .3 + .2 reaches .9.
inline void keep_top_p(Candidates& c, double p) {
    check_top_p(p);
    if (p == 1) return;
    c.keep(smallest_prefix(c.logits(), c.weights(), c.total_weight(), quanta(c, p)));
}

}  // namespace tbt
