// Exercise 06_1: one token, from logits to choice, with every number in between.
//
//     e_i = e^(s_i/T)        1. for the k tokens with the largest logits; the lower id if equal
//     a_i = e_i / Σ e        2. after top-k
//     c_i = a_1 + … + a_i    3. cumulative; the nucleus is the first n: the least n with c_n >= p
//     f_i = a_i / c_n        4. the distribution that is drawn from
//     the token              5. the first i, in the order of the ids, with Σ_{j <= i} f_j > u
//
// As on paper, the largest logit is not subtracted first, so s_i/T must be below 700 here.
// Refuse, as a UsageError that says what is allowed: T not above 0, k below 1, p outside [0, 1],
// u outside [0, 1); k > V keeps all.
//
// Try it with pencil and paper: logits 10 8 5 2 1 .5 for cat dog car house tree book, T = 1,
// k = 3, p = .9, u = .75.
//
// Write three functions, about 15, 8 and 6 lines. Check: make check EX=06_1
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "exercises/exercise.hpp"
#include "lib/core/error.hpp"
#include "lib/core/math.hpp"

namespace tbt::ex06_1 {

struct Example {
    std::vector<int> kept;  // by top-k, most probable first; the lists below are in this order
    std::vector<double> exponentials;        // e_i
    double sum = 0;                          // Σ e
    std::vector<double> after_top_k;         // a_i
    std::vector<double> cumulative;          // c_i
    std::size_t nucleus = 0;                 // n
    std::vector<double> final_distribution;  // f_i: n of them
    int id = -1;                             // the token
};

// Steps 1 to 3: all but the last two parts of an example. portable_exp (math.hpp) is e^x.
inline Example both_cuts([[maybe_unused]] std::span<const float> logits, [[maybe_unused]] double T,
                         [[maybe_unused]] int k, [[maybe_unused]] double p) {
    // >>> write here
    Example e;
    const auto logit = [&](int id) { return logits[static_cast<std::size_t>(id)]; };
    e.kept.resize(logits.size());
    std::iota(e.kept.begin(), e.kept.end(), 0);
    std::stable_sort(e.kept.begin(), e.kept.end(),
                     [&](int a, int b) { return logit(a) > logit(b); });
    e.kept.resize(std::min(e.kept.size(), static_cast<std::size_t>(k)));
    for (const int id : e.kept)
        e.exponentials.push_back(portable_exp(static_cast<double>(logit(id)) / T));
    e.sum = std::accumulate(e.exponentials.begin(), e.exponentials.end(), 0.0);
    double mass = 0;
    for (const double x : e.exponentials) {
        e.after_top_k.push_back(x / e.sum);
        if (e.nucleus == 0 || mass < p) ++e.nucleus;
        e.cumulative.push_back(mass += e.after_top_k.back());
    }
    return e;
    // <<< to here
}

// Step 5: the id that u chooses.
inline int chosen([[maybe_unused]] const Example& e, [[maybe_unused]] double u) {
    // >>> write here
    std::vector<std::size_t> by_id(e.nucleus);
    std::iota(by_id.begin(), by_id.end(), std::size_t{0});
    std::sort(by_id.begin(), by_id.end(), [&](auto a, auto b) { return e.kept[a] < e.kept[b]; });
    double passed = 0;
    for (const std::size_t i : by_id)
        if ((passed += e.final_distribution[i]) > u) return e.kept[i];
    return e.kept[by_id.back()];
    // <<< to here
}

// All five.
inline Example complete_example([[maybe_unused]] std::span<const float> logits,
                                [[maybe_unused]] double T, [[maybe_unused]] int k,
                                [[maybe_unused]] double p, [[maybe_unused]] double u) {
    // >>> write here
    if (!(T > 0) || k < 1) throw UsageError("example: expected T above 0 and k of 1 or more");
    if (!(p >= 0 && p <= 1 && u >= 0 && u < 1))
        throw UsageError("example: expected p in [0, 1], u in [0, 1)");
    Example e = both_cuts(logits, T, k, p);
    for (std::size_t i = 0; i < e.nucleus; ++i)
        e.final_distribution.push_back(e.after_top_k[i] / e.cumulative[e.nucleus - 1]);
    e.id = chosen(e, u);
    return e;
    // <<< to here
}

}  // namespace tbt::ex06_1
