// Lanes: a vector of sixteen floats on every machine. Included by .cpp files of lib only.
//
// It takes one register of AVX-512, two of AVX2 or four of NEON. All kernels use sixteen lanes, so
// a sum over every sixteenth element has the same bits on every machine. A multiplication followed
// by an addition is written as fma(), which rounds once; the build forbids the compiler to contract
// other expressions.
#pragma once

#include <cstddef>
#include <cstdint>

#include <xsimd/xsimd.hpp>

#include "lib/core/index.hpp"

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

}  // namespace tbt::simd
