// A column of weights in 4 bits with a scale for every 32 of them, in plain code. The scales are
// integer multiples of one unit, so the product with a row of 8 bits is an exact sum of integers.
//
//   S = max |w| / (7 · 127)     m_g = round(127 · max_g |w| / max |w|), at least 1
//   q_k = round(w_k · (1 / (S · m_g))) in −7 … 7             w_k ≈ S · m_g · q_k
//   y = float(Σ_g m_g · Σ_{k in g} x_k · q_k) · (s · S) + bias
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "chapters/20_quantization/plain_quantize.hpp"

namespace tbt {

struct FourBitColumn {
    static constexpr std::size_t group = 32;
    std::vector<std::int8_t> q;  // −7 … 7
    std::vector<int> m;          // 0 … 127, one for each group; 0 (GPTQ: 1): only zeros
    float unit = 0;              // S; 0: the column has only zeros; NaN: it is not finite
};

inline FourBitColumn quantize_in_groups(const std::vector<float>& w) {
    constexpr std::size_t group = FourBitColumn::group;
    FourBitColumn column{std::vector<std::int8_t>(w.size(), 0),
                         std::vector<int>((w.size() + group - 1) / group, 0), 0};
    std::vector<float> largest(column.m.size(), 0.0f);
    for (std::size_t k = 0; k < w.size(); ++k) {
        if (!std::isfinite(w[k])) return {column.q, column.m, NAN};
        largest[k / group] = std::max(largest[k / group], std::abs(w[k]));
    }
    const float most = w.empty() ? 0 : *std::max_element(largest.begin(), largest.end());
    const float unit = most / (7 * 127), inverse = 127 / most;
    if (!std::isfinite(1 / unit)) return column;  // all numbers are 0 or nearly 0
    column.unit = unit;
    for (std::size_t g = 0; g < column.m.size(); ++g)
        if (largest[g] > 0)
            column.m[g] = std::max(1, static_cast<int>(std::nearbyint(largest[g] * inverse)));
    for (std::size_t k = 0; k < w.size(); ++k) {
        if (w[k] == 0) continue;
        const float per_step = 1 / (unit * static_cast<float>(column.m[k / group]));
        const float mark = std::nearbyint(w[k] * per_step);
        column.q[k] = static_cast<std::int8_t>(std::clamp(mark, -7.0f, 7.0f));
    }
    return column;
}

// One output: the product of a row of activations in 8 bits and such a column.
inline float product(const QuantizedRow& x, const FourBitColumn& w, float bias = 0) {
    check_size("product: the column", w.q.size(), x.q.size());
    std::int32_t sum = 0;
    for (std::size_t k = 0; k < x.q.size(); ++k)
        sum += w.m[k / FourBitColumn::group] * x.q[k] * w.q[k];
    return static_cast<float>(sum) * (x.scale * w.unit) + bias;
}

}  // namespace tbt
