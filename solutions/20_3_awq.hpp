// Exercise 20_3: AWQ, weights rounded finer where their inputs are loud. [Lin et al. 2024]
//
// An input x_k multiplies the error of its weight w_k: the louder (larger) the input, the larger
// the effect of the error. AWQ makes the weights of loud inputs larger before they are rounded, and
// smaller again afterwards. So their steps become finer, at the expense of the other weights, since
// all share one scale.
//
//     a_k = mean over the inputs of |x_k|
//     s_k = a_k^α                            1 where a_k is 0;  α = 0 is plain rounding
//     v_k = w_k · s_k                        v̂: v to the nearest mark, a half to the even one;
//                                            one scale = max |v| / (2^(bits−1) − 1)
//     ŵ_k = v̂_k / s_k
//
// Example: w = (1, .3), a = (1, 4), 2 bits, so the marks are −1, 0 and 1. α = 0: ŵ = (1, 0). α =
// .5: s = (1, 2), v = (1, .6), v̂ = (1, 1), ŵ = (1, .5). α = 1: v = (1, 1.2), v̂ = (1.2, 1.2), ŵ =
// (1.2, .3). For the input (1, 4), x · w is 2.2, and these three ŵ give 1, 3 and 2.4.
//
//     loudness(inputs)               a
//     awq(w, a, alpha, bits)         ŵ
//     best_alpha(w, inputs, bits)    the α of 0, .1, …, 1 with the least Σ_x (x · w − x · ŵ)²;
//                                    the first of several equal ones
//
// Error: no inputs; inputs, or an a, whose length is not that of w; bits below 2 or above 8.
// Weights that are all 0 stay 0.
//
// Write three functions, about 20 lines. Check: make check EX=20_3
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "exercises/exercise.hpp"
#include "lib/core/error.hpp"

namespace tbt::ex20_3 {

using Row = std::vector<double>;

inline Row loudness([[maybe_unused]] const std::vector<Row>& inputs) {
    // >>> write here
    if (inputs.empty()) throw Error("awq: no inputs");
    Row a(inputs[0].size(), 0.0);
    for (const Row& x : inputs) {
        if (x.size() != a.size()) throw Error("awq: inputs of different lengths");
        for (std::size_t k = 0; k < a.size(); ++k) a[k] += std::abs(x[k]);
    }
    for (double& v : a) v /= static_cast<double>(inputs.size());
    return a;
    // <<< to here
}

inline Row awq([[maybe_unused]] const Row& w, [[maybe_unused]] const Row& a,
               [[maybe_unused]] double alpha, [[maybe_unused]] int bits) {
    // >>> write here
    if (a.size() != w.size() || bits < 2 || bits > 8) throw Error("awq: a length, or the bits");
    Row s, v;
    double scale = 0;
    for (std::size_t k = 0; k < w.size(); ++k) {
        s.push_back(a[k] == 0 ? 1.0 : std::pow(a[k], alpha));
        v.push_back(w[k] * s[k]);
        scale = std::max(scale, std::abs(v[k]) / ((1 << (bits - 1)) - 1));
    }
    if (scale == 0) return w;
    for (std::size_t k = 0; k < w.size(); ++k) v[k] = scale * std::nearbyint(v[k] / scale) / s[k];
    return v;
    // <<< to here
}

inline double best_alpha([[maybe_unused]] const Row& w,
                         [[maybe_unused]] const std::vector<Row>& inputs,
                         [[maybe_unused]] int bits) {
    // >>> write here
    const Row a = loudness(inputs);
    double best = 0, least = HUGE_VAL;
    for (int tenths = 0; tenths <= 10; ++tenths) {
        const Row rounded = awq(w, a, tenths / 10.0, bits);
        double loss = 0;
        for (const Row& x : inputs) {
            double off = 0;
            for (std::size_t k = 0; k < w.size(); ++k) off += x[k] * (w[k] - rounded[k]);
            loss += off * off;
        }
        if (loss < least) least = loss, best = tenths / 10.0;
    }
    return best;
    // <<< to here
}

}  // namespace tbt::ex20_3
