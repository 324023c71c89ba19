// How far two distributions are apart, how varied texts are, which points nobody beats.
//
//     KL(q‖p) = Σ_x q(x) · log2(q(x) / p(x))      bits; 0 only where q = p, never negative
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lib/core/error.hpp"

namespace tbt {

// q and p: n probabilities each, of the same n texts. Infinite where q writes what p never does.
inline double plain_kl(const std::vector<double>& q, const std::vector<double>& p) {
    if (q.size() != p.size()) throw Error("plain_kl: two distributions over different texts");
    double bits = 0;
    for (std::size_t x = 0; x < q.size(); ++x) {
        if (q[x] == 0) continue;  // q·log q goes to 0
        if (p[x] == 0) return std::numeric_limits<double>::infinity();
        bits += q[x] * std::log2(q[x] / p[x]);
    }
    return bits;
}

// Different runs of n words as a share of all runs of n words (distinct-n, Li et al. 2016).
// texts: each a list of words. 1 where no run occurs twice, also where there is none.
inline double plain_distinct(const std::vector<std::vector<std::string>>& texts, std::size_t n) {
    std::set<std::vector<std::string>> different;
    std::size_t all = 0;
    for (const auto& words : texts)
        for (std::size_t i = 0; n > 0 && i + n <= words.size(); ++i, ++all)
            different.insert({words.begin() + static_cast<std::ptrdiff_t>(i),
                              words.begin() + static_cast<std::ptrdiff_t>(i + n)});
    return all == 0 ? 1 : static_cast<double>(different.size()) / static_cast<double>(all);
}

// Points (x, y), both better when smaller: true for those that no other point beats in one and
// equals or beats in the other (the Pareto frontier).
inline std::vector<bool> plain_frontier(const std::vector<std::pair<double, double>>& points) {
    std::vector<bool> on(points.size(), true);
    for (std::size_t i = 0; i < points.size(); ++i)
        for (const auto& [x, y] : points)
            if (x <= points[i].first && y <= points[i].second && std::pair(x, y) != points[i])
                on[i] = false;
    return on;
}

}  // namespace tbt
