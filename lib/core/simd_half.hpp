// Vectors of 16-bit floats (half.hpp): converted to floats when loaded and rounded when stored.
// Included by .cpp files of lib only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "lib/core/half.hpp"
#include "lib/core/simd.hpp"

namespace tbt::simd {

struct F16 {
    std::uint16_t bits;
};
struct BF16 {
    std::uint16_t bits;
};

// ---- one number ----

inline float widened(float value) { return value; }
inline float widened(F16 value) { return from_f16(value.bits); }
inline float widened(BF16 value) { return from_bf16(value.bits); }

// ---- loading: exact ----

#if defined(__AVX512F__)
// "maskz" with every lane selected, because GCC 12 warns of an uninitialised value for the plain
// forms.
constexpr __mmask16 every_lane = 0xffff;
inline Batch load(const F16* p) {
    return _mm512_maskz_cvtph_ps(every_lane,
                                 _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
}
inline Batch load(const BF16* p) {
    const __m256i halves = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    return _mm512_castsi512_ps(
        _mm512_maskz_slli_epi32(every_lane, _mm512_maskz_cvtepu16_epi32(every_lane, halves), 16));
}
#elif defined(__AVX2__) && defined(__F16C__)
inline Batch load(const F16* p) {
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}
inline Batch load(const BF16* p) {
    const __m256i words =
        _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
    return _mm256_castsi256_ps(_mm256_slli_epi32(words, 16));
}
#elif defined(__aarch64__)
inline Batch load(const F16* p) { return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(&p->bits))); }
inline Batch load(const BF16* p) {
    return vreinterpretq_f32_u32(vshll_n_u16(vld1_u16(&p->bits), 16));
}
#else
template <class Element>
Batch load(const Element* p) {
    alignas(64) float wide[batch_size];
    for (int i = 0; i < batch_size; ++i) {
        wide[i] = std::is_same_v<Element, F16> ? from_f16(p[i].bits) : from_bf16(p[i].bits);
    }
    return Batch::load_aligned(wide);
}
#endif

// ---- storing: rounded to the nearest, ties to even, with the same bits as half.hpp ----

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
inline void store(const Batch& values, BF16* p) {
    alignas(64) float wide[batch_size];
    values.store_aligned(wide);
    for (int i = 0; i < batch_size; ++i) p[i].bits = to_bf16(wide[i]);
}

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

}  // namespace tbt::simd
