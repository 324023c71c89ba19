// The small layers of a transformer: norms, activations, softmax, residual sums.
// Row by row on (R, C) matrices.
//
// Each function is called by every thread of a team and does that thread's rows;
// the caller syncs before the result is read. Sums over a row run in sixteen virtual lanes and end
// in one fixed order (see simd.hpp).
#pragma once

#include <cstdint>
#include <span>

#include "lib/machine/threads.hpp"

namespace tbt {

// y[r] = (x[r] − mean) / √(variance + ε) · γ + β; x, y (R, C), gamma, beta (C).
// y may be x. [Ba et al. 2016]
void layer_norm(const float* x, const float* gamma, const float* beta, float epsilon, float* y,
                std::int64_t rows, std::int64_t columns, const Worker& worker);

// y[r] = x[r] / √(mean of x[r]² + ε) · γ; x, y (R, C), gamma (C). y may be x.
// [Zhang & Sennrich 2019]
void rms_norm(const float* x, const float* gamma, float epsilon, float* y, std::int64_t rows,
              std::int64_t columns, const Worker& worker);

// x ← ½·x·(1 + tanh(√(2/π)·(x + 0.044715·x³))), elementwise over n values.
// [Hendrycks & Gimpel 2016]
void gelu(float* x, std::int64_t n);
void gelu(float* x, std::int64_t n, const Worker& worker);

// The gated MLP [Shazeer 2020]: of a row (gate (F), up (F)), gate ← act(gate) · up, elementwise; up
// stays. act is silu, x / (1 + e^−x), or gelu. x (R, 2F). Each thread does its columns of all rows.
void gate_silu(float* x, std::int64_t rows, std::int64_t f, const Worker& worker);
void gate_gelu(float* x, std::int64_t rows, std::int64_t f, const Worker& worker);

// y ← y + x over n values.
void add(const float* x, float* y, std::int64_t n, const Worker& worker);

// One row. p_i = e^(s_i − max s) / Σ_j e^(s_j − max s). −∞ gives exactly 0.
// A row that has no distribution (all −∞, any NaN, any +∞) gives NaN everywhere it matters rather
// than a plausible number. p may be s.
void softmax(std::span<const float> s, std::span<float> p);

// One row. l_i = s_i − max s − ln Σ_j e^(s_j − max s); −∞ stays −∞;
// no distribution: NaN. l may be s.
void log_softmax(std::span<const float> s, std::span<float> l);

}  // namespace tbt
