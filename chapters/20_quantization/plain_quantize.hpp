// Weights and activations in 8 bits, in plain code: a row of numbers becomes integers and one
// scale, and a product becomes an exact sum of integers and one multiplication.
//
//   s = max |x| / 127,   q_k = round(x_k · (127 / max |x|)),   x_k ≈ s · q_k (error up to s/2)
//   y = float(Σ_k q_k · p_k) · (s · t) + bias              for rows (q, s) and (p, t)
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "lib/core/check.hpp"

namespace tbt {

struct QuantizedRow {
    std::vector<std::int8_t> q;  // −127 … 127; −128 is not used
    float scale = 0;             // 0: the row has only zeros; NaN: it is not finite
};

// Quantises a row to 2 … 8 bits; the largest code is 2^(bits − 1) − 1. Ties are rounded to even.
inline QuantizedRow quantize(const std::vector<float>& x, int bits = 8) {
    if (bits < 2 || bits > 8)
        throw UsageError("quantize: got " + std::to_string(bits) + " bits, expected 2 to 8");
    QuantizedRow row{std::vector<std::int8_t>(x.size(), 0), 0};
    float largest = 0;
    for (const float v : x) {
        if (!std::isfinite(v)) return {row.q, NAN};
        largest = std::max(largest, std::abs(v));
    }
    const float levels = static_cast<float>((1 << (bits - 1)) - 1), inverse = levels / largest;
    if (!std::isfinite(inverse)) return row;  // all numbers are 0 or nearly 0
    for (std::size_t k = 0; k < x.size(); ++k)
        row.q[k] = static_cast<std::int8_t>(std::nearbyint(x[k] * inverse));
    row.scale = largest / levels;
    return row;
}

// The floats that the codes represent.
inline std::vector<float> restored(const QuantizedRow& row) {
    std::vector<float> x;
    for (const std::int8_t q : row.q) x.push_back(row.scale * static_cast<float>(q));
    return x;
}

// Σ q_k · p_k. These are integers, so the order of the sum does not matter. At most 127² · K.
inline std::int32_t dot(const QuantizedRow& a, const QuantizedRow& b) {
    check_size("dot: the second row", b.q.size(), a.q.size());
    std::int32_t sum = 0;
    for (std::size_t k = 0; k < a.q.size(); ++k) sum += a.q[k] * b.q[k];
    return sum;
}

// One output: the product of a row of activations and a column of weights.
inline float product(const QuantizedRow& x, const QuantizedRow& w, float bias = 0) {
    return static_cast<float>(dot(x, w)) * (x.scale * w.scale) + bias;
}

}  // namespace tbt
