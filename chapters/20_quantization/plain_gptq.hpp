// GPTQ in plain code: weights are rounded one after the other, and those that follow compensate for
// each error. [Frantar et al. 2023]
//
// The aim is not to preserve the column w but its outputs for inputs x. It minimises
//
//   Σ_x (x · w − x · ŵ)² = (w − ŵ)ᵀ H (w − ŵ),   H = Σ_x xᵀx
//
// If w_k is rounded and its error is e, the best compensation by the weights after it is
//
//   w_j ← w_j − e / U_kk · U_kj   for all j > k,   where UᵀU = H⁻¹ and U is 0 below its diagonal
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "chapters/20_quantization/plain_factor.hpp"
#include "lib/core/check.hpp"

namespace tbt {

// A column (K), rounded to multiples −levels … levels of each group's scale, ruler(max |w|).
template <class Ruler>
std::vector<double> gptq_rounded_by(const std::vector<float>& column, const Square& U,
                                    double levels, std::size_t group, Ruler ruler) {
    check_size("gptq: a column", column.size(), U.size());
    std::vector<double> w(column.begin(), column.end()), restored;
    for (const double v : w)
        if (!std::isfinite(v)) throw Error("gptq: a weight is not finite; the model is broken");
    double scale = 0;
    for (std::size_t k = 0; k < w.size(); ++k) {
        if (k % group == 0) {  // choose the scale of this group from the present weights
            double largest = 0;
            for (std::size_t j = k; j < std::min(k + group, w.size()); ++j)
                largest = std::max(largest, std::abs(w[j]));
            scale = ruler(largest);
        }
        const double mark = scale > 0 ? std::nearbyint(w[k] / scale) : 0;
        const double rounded = scale * std::clamp(mark, -levels, levels);
        const double error = (w[k] - rounded) / U[k][k];
        for (std::size_t j = k; j < w.size(); ++j) w[j] -= error * U[k][j];
        restored.push_back(rounded);
    }
    return restored;
}

// The column (K) in `bits` bits with a scale for every `group` weights, restored to floats.
inline std::vector<float> gptq(const std::vector<float>& column, const Square& U, int bits,
                               std::size_t group) {
    if (bits < 2 || bits > 8 || group < 1)
        throw UsageError("gptq: got " + std::to_string(bits) + " bits and groups of " +
                         std::to_string(group) + ", expected 2 to 8 and 1 or more");
    const double levels = (1 << (bits - 1)) - 1;
    const auto restored =
        gptq_rounded_by(column, U, levels, group, [&](double largest) { return largest / levels; });
    return {restored.begin(), restored.end()};
}

}  // namespace tbt
