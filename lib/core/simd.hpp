// Lanes: a vector of sixteen floats on every machine, with loads and stores of 16-bit floats, our
// own exp and tanh, and loops over rows. It is for lib's own .cpp files and the kernels' headers.
//
// It takes one register of AVX-512, two of AVX2 or four of NEON. All kernels use sixteen lanes, so
// a sum over every sixteenth element has the same bits on every machine. A multiplication followed
// by an addition is written as fma(), which rounds once; the build forbids the compiler to contract
// other expressions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <xsimd/xsimd.hpp>

#include "lib/core/index.hpp"
#include "lib/core/math.hpp"

namespace tbt::simd {

using Batch = xsimd::batch<float>;
inline constexpr int lane_count = 16;
inline constexpr int batch_size = to_int(Batch::size);
inline constexpr int batch_count = lane_count / batch_size;
static_assert(batch_size <= lane_count && lane_count % batch_size == 0);
#if defined(__x86_64__) && !defined(__FMA__)
#error "Token by Token needs fused multiply-add: build with ARCH=x86-64-v3 (AVX2) or newer"
#endif

struct Lanes {
    Batch part[batch_count];

    static Lanes load(const float* p) {
        Lanes r;
        for (int i = 0; i < batch_count; ++i) r.part[i] = Batch::load_unaligned(p + i * batch_size);
        return r;
    }
    static Lanes all(float x) {
        Lanes r;
        for (int i = 0; i < batch_count; ++i) r.part[i] = Batch(x);
        return r;
    }
    static Lanes zero() { return all(0.0f); }
    // The first n lanes from p, the others `fill`; reads nothing beyond p + n.
    static Lanes load_first(const float* p, int n, float fill) {
        alignas(64) float buffer[lane_count];
        for (int i = 0; i < lane_count; ++i) buffer[i] = i < n ? p[i] : fill;
        return load(buffer);
    }
    void store(float* p) const {
        for (int i = 0; i < batch_count; ++i) part[i].store_unaligned(p + i * batch_size);
    }
    void store_first(float* p, int n) const {
        alignas(64) float buffer[lane_count];
        store(buffer);
        for (int i = 0; i < n; ++i) p[i] = buffer[i];
    }
};

// Division and square root, correctly rounded as in IEEE 754. xsimd's are approximations on ARM.
inline Batch divide(const Batch& a, const Batch& b) {
#if defined(__aarch64__)
    return vdivq_f32(a, b);
#else
    return a / b;
#endif
}
inline Batch sqrt(const Batch& a) {
#if defined(__aarch64__)
    return vsqrtq_f32(a);
#else
    return xsimd::sqrt(a);
#endif
}

// clang-format off
#define TBT_LANEWISE(NAME, EXPRESSION)                  \
    inline Lanes NAME(const Lanes& a, const Lanes& b) { \
        Lanes r;                                        \
        for (int i = 0; i < batch_count; ++i) {         \
            const Batch &x = a.part[i], &y = b.part[i]; \
            r.part[i] = EXPRESSION;                     \
        }                                               \
        return r;                                       \
    }
TBT_LANEWISE(operator+, x + y)
TBT_LANEWISE(operator-, x - y)
TBT_LANEWISE(operator*, x * y)
TBT_LANEWISE(operator/, divide(x, y))
TBT_LANEWISE(max, xsimd::max(x, y))
TBT_LANEWISE(min, xsimd::min(x, y))
#undef TBT_LANEWISE
// clang-format on

// a · b + c, rounded once. On AVX-512, xsimd before version 11 rounds twice.
inline Batch fma(const Batch& a, const Batch& b, const Batch& c) {
#if defined(__AVX512F__)
    return _mm512_fmadd_ps(a, b, c);
#else
    return xsimd::fma(a, b, c);
#endif
}
inline Lanes fma(const Lanes& a, const Lanes& b, const Lanes& c) {
    Lanes r;
    for (int i = 0; i < batch_count; ++i) r.part[i] = fma(a.part[i], b.part[i], c.part[i]);
    return r;
}

// The sum of the lanes in one fixed order: lane i + lane i+8, then i+4, i+2, i+1.
inline float sum(const Lanes& a) {
    alignas(64) float v[lane_count];
    a.store(v);
    for (int half = lane_count / 2; half >= 1; half /= 2) {
        for (int i = 0; i < half; ++i) v[i] += v[i + half];
    }
    return v[0];
}

inline float largest(const Lanes& a) {
    alignas(64) float v[lane_count];
    a.store(v);
    float m = v[0];
    for (int i = 1; i < lane_count; ++i) m = v[i] > m ? v[i] : m;
    return m;
}

// ---- 16-bit floats: converted to floats when loaded, rounded when stored ----

struct F16 {
    std::uint16_t bits;
};

inline float widened(float value) { return value; }
inline float widened(F16 value) { return from_f16(value.bits); }

// ---- loading: exact ----

#if defined(__AVX512F__)
// "maskz" with every lane selected, because GCC 12 warns of an uninitialised value for the plain
// forms.
constexpr __mmask16 every_lane = 0xffff;
inline Batch load(const F16* p) {
    return _mm512_maskz_cvtph_ps(every_lane,
                                 _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
}
#elif defined(__AVX2__) && defined(__F16C__)
inline Batch load(const F16* p) {
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}
#elif defined(__aarch64__)
inline Batch load(const F16* p) { return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(&p->bits))); }
#else
inline Batch load(const F16* p) {
    alignas(64) float wide[batch_size];
    for (int i = 0; i < batch_size; ++i) wide[i] = from_f16(p[i].bits);
    return Batch::load_aligned(wide);
}
#endif

// ---- storing: rounded to the nearest, ties to even, with the same bits as math.hpp ----

#if defined(__AVX512F__)
inline void store(const Batch& values, F16* p) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p),
                        _mm512_maskz_cvtps_ph(every_lane, values, _MM_FROUND_TO_NEAREST_INT));
}
#elif defined(__AVX2__) && defined(__F16C__)
inline void store(const Batch& values, F16* p) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p),
                     _mm256_cvtps_ph(values, _MM_FROUND_TO_NEAREST_INT));
}
#else
inline void store(const Batch& values, F16* p) {
    alignas(64) float wide[batch_size];
    values.store_aligned(wide);
    for (int i = 0; i < batch_size; ++i) p[i].bits = to_f16(wide[i]);
}
#endif

// Loads sixteen numbers as floats.
inline Lanes load_lanes(const float* p) { return Lanes::load(p); }
inline Lanes load_lanes(const F16* p) {
    Lanes r;
    for (int i = 0; i < batch_count; ++i) r.part[i] = load(p + i * batch_size);
    return r;
}

// Copies n numbers, rounding to F16.
inline void copy(const float* from, int n, float* to) { std::copy_n(from, n, to); }
inline void copy(const float* from, int n, F16* to) {
    int i = 0;
    for (; i + batch_size <= n; i += batch_size) store(Batch::load_unaligned(from + i), to + i);
    for (; i < n; ++i) to[i].bits = to_f16(from[i]);
}

// ---- exp and tanh, with the same bits on every machine ----
//
// tests/lib/simd_math.cpp compares them with long double over the whole range: the largest errors
// are below 1.5 ulp for exp and below 3.5 ulp for tanh.

namespace detail {

// x = n·ln 2 + r with |r| <= ln 2 / 2. Returns n and expm1(r) = e^r − 1.
struct Reduced {
    Batch n;
    Batch expm1_r;
};

inline Reduced reduce(const Batch& x) {
    const Batch n = xsimd::nearbyint(x * Batch(1.44269504088896341f));
    // ln 2 in two parts: the first has 15 bits, so n · 0x1.62e4p-1 is exact.
    Batch r = fma(n, Batch(-0x1.62e4p-1f), x);
    r = fma(n, Batch(-0x1.7f7d1cp-20f), r);
    // e^r = 1 + r + r²·P(r); P by Chebyshev interpolation on |r| <= 0.347,
    // relative error of e^r under 2e-10.
    Batch p = Batch(1.9891080464e-4f);
    p = fma(p, r, Batch(1.39337307158e-3f));
    p = fma(p, r, Batch(8.33331084465e-3f));
    p = fma(p, r, Batch(4.16664641974e-2f));
    p = fma(p, r, Batch(1.66666666817e-1f));
    p = fma(p, r, Batch(5.00000001354e-1f));
    return {n, fma(p * r, r, r)};
}

inline Batch power_of_two(const Batch& n) { return xsimd::ldexp(Batch(1.0f), xsimd::to_int(n)); }

}  // namespace detail

// e^x. It is infinite for x above 88.73 and zero for x below −87.33 (where e^x is below the
// smallest normal float). NaN stays NaN.
inline Batch exp(const Batch& x) {
    // The constant comes first: where x is NaN, min and max return their second operand on x86.
    const Batch clamped = xsimd::min(Batch(89.0f), xsimd::max(Batch(-88.0f), x));
    const auto [n, m] = detail::reduce(clamped);
    // 2^128 is too large for a float, but e^88.7 is not. So scale by at most 2^127 here, and by the
    // rest (1 or 2) at the end.
    const Batch scale = detail::power_of_two(xsimd::min(n, Batch(127.0f)));
    const Batch rest = xsimd::max(n, Batch(127.0f)) - Batch(126.0f);
    const Batch y = fma(scale, m, scale) * rest;
    return xsimd::select(x < Batch(-87.33654f), Batch(0.0f), y);
}

// tanh x = (e^2x − 1) / (e^2x + 1) = m / (m + 2) with m = expm1(2x) = 2^n·expm1(r) + (2^n − 1).
inline Batch tanh(const Batch& x) {
    // |x| > 10: tanh is ±1 in float. A NaN x passes through min and max as above.
    const Batch clamped = xsimd::min(Batch(10.0f), xsimd::max(Batch(-10.0f), x));
    const auto [n, m_r] = detail::reduce(clamped + clamped);
    const Batch scale = detail::power_of_two(n);
    const Batch m = fma(scale, m_r, scale - Batch(1.0f));
    return divide(m, m + Batch(2.0f));
}

inline Lanes exp(const Lanes& x) {
    Lanes r;
    for (int i = 0; i < batch_count; ++i) r.part[i] = exp(x.part[i]);
    return r;
}

inline Lanes tanh(const Lanes& x) {
    Lanes r;
    for (int i = 0; i < batch_count; ++i) r.part[i] = tanh(x.part[i]);
    return r;
}

// ½·x·(1 + tanh(√(2/π)·(x + 0.044715·x³)))
inline Lanes gelu(const Lanes& v) {
    const Lanes cubic = Lanes::all(0.044715f), scale = Lanes::all(0.7978845608f);
    const Lanes inner = scale * fma(cubic * v, v * v, v);
    const Lanes h = Lanes::all(0.5f) * v;
    return fma(h, tanh(inner), h);
}

// ---- loops over a row ----

// The n <= 16 numbers at p; lanes beyond them are `fill`.
inline Lanes load_up_to(const float* p, int n, float fill = 0.0f) {
    return n == lane_count ? Lanes::load(p) : Lanes::load_first(p, n, fill);
}

// Σ f(x[i …]) over a row of n values, where f maps sixteen values (Lanes) at a time. The last group
// is filled up with `fill`, which f must map to 0.
template <class F>
float sum_row(const float* x, std::int64_t n, float fill, F&& f) {
    Lanes total = Lanes::zero();
    std::int64_t i = 0;
    for (; i + lane_count <= n; i += lane_count) total = total + f(Lanes::load(x + i));
    if (i < n) total = total + f(Lanes::load_first(x + i, to_int(n - i), fill));
    return sum(total);
}

// y[i …] = f(x[i …], i, n) for each sixteen values (Lanes); n is 16 but for the last ones.
template <class F>
void map_row(const float* x, float* y, std::int64_t count, F&& f) {
    std::int64_t i = 0;
    for (; i + lane_count <= count; i += lane_count)
        f(Lanes::load(x + i), i, lane_count).store(y + i);
    if (i < count) {
        const int rest = to_int(count - i);
        f(Lanes::load_first(x + i, rest, 0.0f), i, rest).store_first(y + i, rest);
    }
}

}  // namespace tbt::simd
