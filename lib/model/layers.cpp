#include "lib/model/layers.hpp"

#include <cmath>
#include <limits>

#include "lib/core/check.hpp"
#include "lib/core/index.hpp"
#include "lib/core/math.hpp"
#include "lib/core/simd.hpp"

namespace tbt {

using simd::lane_count;
using simd::Lanes;

namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

// Σ f(x[i …]) over a row of n values, where f maps sixteen values (Lanes) at a time. The last group
// is filled up with `fill`, which f must map to 0.
template <class F>
float sum_row(const float* x, std::int64_t n, float fill, F&& f) {
    Lanes total = Lanes::zero();
    std::int64_t i = 0;
    for (; i + lane_count <= n; i += lane_count) total = total + f(Lanes::load(x + i));
    if (i < n) total = total + f(Lanes::load_first(x + i, to_int(n - i), fill));
    return simd::sum(total);
}

// y[i …] = f(x[i …], i) for n values; f maps sixteen values (Lanes) at a time.
template <class F>
void map(const float* x, float* y, std::int64_t n, F&& f) {
    std::int64_t i = 0;
    for (; i + lane_count <= n; i += lane_count) f(Lanes::load(x + i), i, lane_count).store(y + i);
    if (i < n) {
        const int rest = to_int(n - i);
        f(Lanes::load_first(x + i, rest, 0.0f), i, rest).store_first(y + i, rest);
    }
}

Lanes gelu_of(const Lanes& v) {
    const Lanes cubic = Lanes::all(0.044715f), scale = Lanes::all(0.7978845608f);
    const Lanes inner = scale * fma(cubic * v, v * v, v);
    const Lanes h = Lanes::all(0.5f) * v;
    return fma(h, simd::tanh(inner), h);
}

Lanes silu_of(const Lanes& v) { return v / (Lanes::all(1.0f) + simd::exp(Lanes::zero() - v)); }

// gate ← act(gate) · up in each row (gate, up) of x.
template <class F>
void gate(float* x, std::int64_t rows, std::int64_t f, const Worker& worker, F&& act) {
    const auto [begin, end] = worker.share(f, lane_count);
    for (std::int64_t r = 0; r < rows; ++r) {
        float* const first = x + r * 2 * f + begin;
        map(first, first, end - begin, [&](const Lanes& v, std::int64_t i, int n) {
            const float* up = first + f + i;
            return act(v) * (n == lane_count ? Lanes::load(up) : Lanes::load_first(up, n, 0.0f));
        });
    }
}

float largest_of(std::span<const float> s) {
    Lanes m = Lanes::all(minus_infinity);
    std::size_t i = 0;
    for (; i + lane_count <= s.size(); i += lane_count) m = max(m, Lanes::load(s.data() + i));
    if (i < s.size())
        m = max(m, Lanes::load_first(s.data() + i, to_int(s.size() - i), minus_infinity));
    return simd::largest(m);
}

}  // namespace

void layer_norm(const float* x, const float* gamma, const float* beta, float epsilon, float* y,
                std::int64_t rows, std::int64_t columns, const Worker& worker) {
    const float inverse_c = 1.0f / static_cast<float>(columns);
    const auto [begin, end] = worker.share(rows);
    for (std::int64_t r = begin; r < end; ++r) {
        const float* in = x + r * columns;
        const float mean = sum_row(in, columns, 0.0f, [](const Lanes& v) { return v; }) * inverse_c;
        const Lanes means = Lanes::all(mean);
        const float variance =
            sum_row(in, columns, mean, [&](const Lanes& v) { return (v - means) * (v - means); }) *
            inverse_c;
        const Lanes scale = Lanes::all(1.0f / std::sqrt(variance + epsilon));
        map(in, y + r * columns, columns, [&](const Lanes& v, std::int64_t i, int n) {
            const Lanes g =
                n == lane_count ? Lanes::load(gamma + i) : Lanes::load_first(gamma + i, n, 0.0f);
            const Lanes b =
                n == lane_count ? Lanes::load(beta + i) : Lanes::load_first(beta + i, n, 0.0f);
            return fma((v - means) * scale, g, b);
        });
    }
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
        map(in, y + r * columns, columns, [&](const Lanes& v, std::int64_t i, int n) {
            return (v * scale) *
                   (n == lane_count ? Lanes::load(gamma + i) : Lanes::load_first(gamma + i, n, 0));
        });
    }
}

void gelu(float* x, std::int64_t n) {
    map(x, x, n, [](const Lanes& v, std::int64_t, int) { return gelu_of(v); });
}

void gate_silu(float* x, std::int64_t rows, std::int64_t f, const Worker& worker) {
    gate(x, rows, f, worker, [](const Lanes& v) { return silu_of(v); });
}

void gate_gelu(float* x, std::int64_t rows, std::int64_t f, const Worker& worker) {
    gate(x, rows, f, worker, [](const Lanes& v) { return gelu_of(v); });
}

void gelu(float* x, std::int64_t n, const Worker& worker) {
    const auto [begin, end] = worker.share(n, lane_count);
    gelu(x + begin, end - begin);
}

void add(const float* x, float* y, std::int64_t n, const Worker& worker) {
    const auto [begin, end] = worker.share(n, lane_count);
    for (std::int64_t i = begin; i < end; ++i) y[i] += x[i];
}

void softmax(std::span<const float> s, std::span<float> p) {
    check_size("softmax: p", p.size(), s.size());
    const Lanes m = Lanes::all(largest_of(s));
    const auto n = length_of(s);
    map(s.data(), p.data(), n, [&](const Lanes& v, std::int64_t, int) { return simd::exp(v - m); });
    const float total = sum_row(p.data(), n, 0.0f, [](const Lanes& v) { return v; });
    const Lanes inverse = Lanes::all(1.0f / total);
    map(p.data(), p.data(), n, [&](const Lanes& v, std::int64_t, int) { return v * inverse; });
}

void log_softmax(std::span<const float> s, std::span<float> l) {
    check_size("log_softmax: l", l.size(), s.size());
    const float m = largest_of(s);
    const Lanes ms = Lanes::all(m);
    const auto n = length_of(s);
    const float total =
        sum_row(s.data(), n, minus_infinity, [&](const Lanes& v) { return simd::exp(v - ms); });
    const Lanes shift = Lanes::all(static_cast<float>(portable_log(static_cast<double>(total))));
    map(s.data(), l.data(), n, [&](const Lanes& v, std::int64_t, int) { return (v - ms) - shift; });
}

}  // namespace tbt
