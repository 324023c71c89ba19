// What a transformer does with single rows of numbers: norm, activation, softmax; and Logits, the
// rows that come out at its end. Sums over a row run in sixteen lanes, which are added in one fixed
// order (simd.hpp), so the results have the same bits on every machine.
#pragma once

#include <cstdint>
#include <span>

#include "lib/core/check.hpp"

namespace tbt {

// y = (x − mean) / √(variance + ε) · γ + β; all of them (C). y may be x. [Ba et al. 2016]
void layer_norm(std::span<const float> x, const float* gamma, const float* beta, float epsilon,
                float* y);

// x ← ½·x·(1 + tanh(√(2/π)·(x + 0.044715·x³))), elementwise over n values.
// [Hendrycks & Gimpel 2016]
void gelu(float* x, std::int64_t n);

// p_i = e^(s_i − max s) / Σ_j e^(s_j − max s). −∞ gives exactly 0.
// A row that has no distribution (all −∞, any NaN, any +∞) gives NaN, not a plausible number.
// p may be s.
void softmax(std::span<const float> s, std::span<float> p);

// Its logarithm: l_i = s_i − max s − ln Σ_j e^(s_j − max s). −∞ stays −∞. A row that has no
// distribution gives NaN. l may be s.
void log_softmax(std::span<const float> s, std::span<float> l);

// Rows of logits in the model's own memory, valid until its next forward pass: one row for each
// token or sequence that the pass was asked for.
struct Logits {
    std::span<const float> values;  // (rows, V)
    std::int64_t rows = 0;
    std::span<const float> states = {};  // (rows, C): the normed last hidden states

    // Throws Error if there is no such row.
    std::span<const float> row(std::int64_t r) const {
        const std::size_t at = checked_place("logits: row", r, index(rows));
        const std::size_t v = values.size() / index(rows);
        return values.subspan(at * v, v);
    }
    std::span<const float> last() const { return row(rows - 1); }
};

}  // namespace tbt
