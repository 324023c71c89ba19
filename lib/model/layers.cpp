#include "lib/model/layers.hpp"

#include <cmath>

#include "lib/core/index.hpp"
#include "lib/core/simd.hpp"

namespace tbt {

using simd::lane_count;
using simd::Lanes;
using simd::map_row;
using simd::sum_row;

namespace {

Lanes silu_of(const Lanes& v) { return v / (Lanes::all(1.0f) + simd::exp(Lanes::zero() - v)); }

// x · Φ(x) = max(x, 0) − |x| · Φ(−|x|), and Φ(−|x|) = ½ · erfc(z), z = |x| / √2, is about
//   ½ · (a₁t + … + a₅t⁵) · e^(−z²),  t = 1 / (1 + 0.3275911 · z),
// within 7.5e-8 [Abramowitz & Stegun 1964, 7.1.26]. The coefficients below are halved.
Lanes gelu_erf_of(const Lanes& x) {
    const auto number = [](float value) { return Lanes::all(value); };
    const Lanes size = max(x, Lanes::zero() - x), z = size * number(0.70710678f);
    const Lanes t = number(1.0f) / fma(number(0.3275911f), z, number(1.0f));
    Lanes p = number(0.5307027145f);
    p = fma(p, t, number(-0.7265760135f));
    p = fma(p, t, number(0.7107068705f));
    p = fma(p, t, number(-0.142248368f));
    p = fma(p, t, number(0.127414796f));
    const Lanes tail = p * t * simd::exp(Lanes::zero() - z * z);
    return max(x, Lanes::zero()) - size * tail;
}

// gate ← combine(gate, up) in each row (gate, up) of x.
template <class F>
void gate(float* x, std::int64_t rows, std::int64_t f, const Worker& worker, F&& combine) {
    const auto [begin, end] = worker.share(f, lane_count);
    for (std::int64_t r = 0; r < rows; ++r) {
        float* const first = x + r * 2 * f + begin;
        map_row(first, first, end - begin, [&](const Lanes& v, std::int64_t i, int n) {
            return combine(v, simd::load_up_to(first + f + i, n));
        });
    }
}

}  // namespace

void layer_norm(const float* x, const float* gamma, const float* beta, float epsilon, float* y,
                std::int64_t rows, std::int64_t columns, const Worker& worker) {
    const auto [begin, end] = worker.share(rows);
    for (std::int64_t r = begin; r < end; ++r)
        layer_norm({x + r * columns, index(columns)}, gamma, beta, epsilon, y + r * columns);
}

void rms_norm(const float* x, const float* gamma, float epsilon, float* y, std::int64_t rows,
              std::int64_t columns, const Worker& worker) {
    const float inverse_c = 1.0f / static_cast<float>(columns);
    const auto [begin, end] = worker.share(rows);
    for (std::int64_t r = begin; r < end; ++r) {
        const float* in = x + r * columns;
        const float mean_square =
            sum_row(in, columns, 0.0f, [](const Lanes& v) { return v * v; }) * inverse_c;
        const Lanes scale = Lanes::all(1.0f / std::sqrt(mean_square + epsilon));
        map_row(in, y + r * columns, columns, [&](const Lanes& v, std::int64_t i, int n) {
            return (v * scale) * simd::load_up_to(gamma + i, n);
        });
    }
}

void gate_silu(float* x, std::int64_t rows, std::int64_t f, const Worker& worker) {
    gate(x, rows, f, worker, [](const Lanes& g, const Lanes& up) { return silu_of(g) * up; });
}

void gate_gelu(float* x, std::int64_t rows, std::int64_t f, const Worker& worker) {
    gate(x, rows, f, worker, [](const Lanes& g, const Lanes& up) { return simd::gelu(g) * up; });
}

void gate_limited(float* x, std::int64_t rows, std::int64_t f, float limit, const Worker& worker) {
    const Lanes most = Lanes::all(limit), one = Lanes::all(1.0f), slope = Lanes::all(1.702f);
    // The limit comes first: of two operands, one of them NaN, x86 takes the second.
    gate(x, rows, f, worker, [&](const Lanes& gate, const Lanes& up) {
        const Lanes g = min(most, gate), u = max(Lanes::zero() - most, min(most, up));
        return (u + one) * (g / (one + simd::exp(Lanes::zero() - slope * g)));
    });
}

void gelu_erf(float* x, std::int64_t n) {
    map_row(x, x, n, [](const Lanes& v, std::int64_t, int) { return gelu_erf_of(v); });
}

void soft_cap(float* x, std::int64_t n, float cap) {
    const Lanes c = Lanes::all(cap);
    map_row(x, x, n, [&](const Lanes& v, std::int64_t, int) { return c * simd::tanh(v / c); });
}

}  // namespace tbt
