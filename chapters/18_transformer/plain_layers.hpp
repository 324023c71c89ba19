// The parts of a transformer, on rows of C numbers: layer norm, matrix product, GELU.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "lib/core/math.hpp"

namespace tbt {

using Row = std::vector<float>;
using Rows = std::vector<Row>;

// Σ f(x_i) with sixteen sums side by side, which are then added in pairs, as a processor with
// vectors does it.
template <class F>
float sum_of(const Row& x, F&& f) {
    std::array<float, 16> sum{};
    for (std::size_t i = 0; i < x.size(); ++i) sum[i % 16] += f(x[i]);
    for (std::size_t half = 8; half >= 1; half /= 2)
        for (std::size_t i = 0; i < half; ++i) sum[i] += sum[i + half];
    return sum[0];
}

// y = (x − mean) / √(variance + ε) · γ + β: every row gets mean 0 and standard deviation 1, then a
// learned scale and shift.
inline Row layer_norm(const Row& x, const Row& gamma, const Row& beta, float epsilon) {
    const float inverse_c = 1.0f / static_cast<float>(x.size());
    const float mean = sum_of(x, [](float v) { return v; }) * inverse_c;
    const float variance = sum_of(x, [&](float v) { return (v - mean) * (v - mean); }) * inverse_c;
    const float scale = 1.0f / std::sqrt(variance + epsilon);
    Row y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
        y[i] = std::fma((x[i] - mean) * scale, gamma[i], beta[i]);
    return y;
}

// y += x · w, then + bias. w (K, N) is row-major: input k adds x_k · w[k, ·] to the outputs.
inline void add_product(Row& y, const Row& x, const Row& w, const Row& bias) {
    const std::size_t N = y.size();
    for (std::size_t k = 0; k < x.size(); ++k)
        for (std::size_t n = 0; n < N; ++n) y[n] = std::fma(x[k], w[k * N + n], y[n]);
    for (std::size_t n = 0; n < N; ++n) y[n] += bias[n];
}

// ½·x·(1 + tanh(√(2/π)·(x + 0.044715·x³))): nearly 0 below 0, nearly x above.
// [Hendrycks & Gimpel 2016]
inline float gelu(float x) {
    const float inner = 0.7978845608f * std::fma(0.044715f * x, x * x, x), half = 0.5f * x;
    return std::fma(half, portable_tanhf(inner), half);
}

}  // namespace tbt
