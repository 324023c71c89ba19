// The small layers of a transformer: norms and activations, on the rows of (R, C)
// matrices, divided among threads. Those of a single row are in rows.hpp.
//
// A function with a Worker is called by every thread of a team and does that thread's part; the
// threads must sync before the result is read. Sums over a row run in sixteen virtual lanes, which
// are added in one fixed order (see simd.hpp), so results do not depend on the machine.
#pragma once

#include <cstdint>

#include "lib/core/rows.hpp"
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

// x ← x · Φ(x), elementwise over n values; Φ is the distribution function of the standard normal
// distribution. Within 2e-7 · max(1, |x|).
void gelu_erf(float* x, std::int64_t n);

// The gate of a gated MLP [Shazeer 2020]. x is (R, 2F); a row is (gate (F), up (F)), and becomes
// (act(gate) · up, up), elementwise. act is silu, x / (1 + e^−x), or gelu. Each thread does its
// columns of all rows.
void gate_silu(float* x, std::int64_t rows, std::int64_t f, const Worker& worker);
void gate_gelu(float* x, std::int64_t rows, std::int64_t f, const Worker& worker);

// The same with (up + 1) · g · σ(1.702 · g) instead of act(gate) · up, where g = min(gate, limit)
// and up is kept within ±limit (gpt-oss).
void gate_limited(float* x, std::int64_t rows, std::int64_t f, float limit, const Worker& worker);

// x ← cap · tanh(x / cap), elementwise over n values.
void soft_cap(float* x, std::int64_t n, float cap);

}  // namespace tbt
