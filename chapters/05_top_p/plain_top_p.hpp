// Top-p, or nucleus sampling: the fewest tokens that together have probability p. Sort and add up:
// the definition that the fast version in chapter 06, which does not sort, is compared with.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "chapters/04_top_k/plain_top_k.hpp"
#include "chapters/05_top_p/further/checks.hpp"

namespace tbt {

// A share of the total weight W, rounded to an integer.
inline std::uint64_t share_of(std::uint64_t W, double share) {
    if (!(share >= 0 && share <= 2)) check_top_p(share);  // rounding may go beyond 1
    return std::min(W, static_cast<std::uint64_t>(std::nearbyint(share * static_cast<double>(W))));
}

// The nucleus: the most probable tokens, until they have probability p [Holtzman et al. 2020, §3.1]
//
//   V_p = the shortest {i_1, …, i_n} with s_i1 >= s_i2 >= … and Σ w_i >= p·Σ w
//
// "At least", not "above": the token that reaches p is the last to stay. Never empty: p = 0 keeps
// one. Both sides are whole numbers, so .4 + .3 + .2 reaches .9, where in doubles it is
// .8999999999999999.
inline std::vector<float> top_p(std::span<const float> s, double T, double p) {
    check_top_p(p);
    if (p == 1) return {s.begin(), s.end()};  // also what is too improbable for one weight unit
    const std::vector<std::uint64_t> w = integer_weights(s, T);
    const std::uint64_t enough = std::max<std::uint64_t>(share_of(total(w), p), 1);
    std::vector<float> kept(s.size(), masked);
    std::uint64_t sum = 0;
    for (const std::size_t id : sorted_descending(s)) {
        if (sum >= enough) break;
        kept[id] = s[id];
        sum += w[id];
    }
    return kept;
}

}  // namespace tbt
