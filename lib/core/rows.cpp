#include "lib/core/rows.hpp"

#include <cmath>
#include <limits>

#include "lib/core/check.hpp"
#include "lib/core/math.hpp"
#include "lib/core/simd.hpp"

namespace tbt {

using simd::lane_count;
using simd::Lanes;
using simd::map_row;
using simd::sum_row;

namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

float largest_of(std::span<const float> s) {
    Lanes m = Lanes::all(minus_infinity);
    std::size_t i = 0;
    for (; i + lane_count <= s.size(); i += lane_count) m = max(m, Lanes::load(s.data() + i));
    if (i < s.size())
        m = max(m, Lanes::load_first(s.data() + i, to_int(s.size() - i), minus_infinity));
    return simd::largest(m);
}

}  // namespace

void layer_norm(std::span<const float> x, const float* gamma, const float* beta, float epsilon,
                float* y) {
    const auto n = length_of(x);
    const float inverse_c = 1.0f / static_cast<float>(n);
    const float mean = sum_row(x.data(), n, 0.0f, [](const Lanes& v) { return v; }) * inverse_c;
    const Lanes means = Lanes::all(mean);
    const float variance =
        sum_row(x.data(), n, mean, [&](const Lanes& v) { return (v - means) * (v - means); }) *
        inverse_c;
    const Lanes scale = Lanes::all(1.0f / std::sqrt(variance + epsilon));
    map_row(x.data(), y, n, [&](const Lanes& v, std::int64_t i, int count) {
        return fma((v - means) * scale, simd::load_up_to(gamma + i, count),
                   simd::load_up_to(beta + i, count));
    });
}

void gelu(float* x, std::int64_t n) {
    map_row(x, x, n, [](const Lanes& v, std::int64_t, int) { return simd::gelu(v); });
}

void softmax(std::span<const float> s, std::span<float> p) {
    check_size("softmax: p", p.size(), s.size());
    const Lanes m = Lanes::all(largest_of(s));
    const auto n = length_of(s);
    map_row(s.data(), p.data(), n,
            [&](const Lanes& v, std::int64_t, int) { return simd::exp(v - m); });
    const float total = sum_row(p.data(), n, 0.0f, [](const Lanes& v) { return v; });
    const Lanes inverse = Lanes::all(1.0f / total);
    map_row(p.data(), p.data(), n, [&](const Lanes& v, std::int64_t, int) { return v * inverse; });
}

void log_softmax(std::span<const float> s, std::span<float> l) {
    check_size("log_softmax: l", l.size(), s.size());
    const Lanes m = Lanes::all(largest_of(s));
    const auto n = length_of(s);
    const float total =
        sum_row(s.data(), n, minus_infinity, [&](const Lanes& v) { return simd::exp(v - m); });
    const Lanes shift = Lanes::all(static_cast<float>(portable_log(static_cast<double>(total))));
    map_row(s.data(), l.data(), n,
            [&](const Lanes& v, std::int64_t, int) { return (v - m) - shift; });
}

}  // namespace tbt
