// bf16, the upper half of a float, sixteen numbers at a time: exact when loaded, rounded to the
// nearest, ties to even, when stored (lib/core/math.hpp). F16 is in lib/core/simd.hpp.
#pragma once

#include <cstdint>

#include "lib/core/simd.hpp"

namespace tbt::simd {

struct BF16 {
    std::uint16_t bits;
};

inline float widened(BF16 value) { return from_bf16(value.bits); }

#if defined(__AVX512F__)
inline Batch load(const BF16* p) {
    const __m256i halves = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    return _mm512_castsi512_ps(
        _mm512_maskz_slli_epi32(every_lane, _mm512_maskz_cvtepu16_epi32(every_lane, halves), 16));
}
#elif defined(__AVX2__)
inline Batch load(const BF16* p) {
    const __m256i words =
        _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
    return _mm256_castsi256_ps(_mm256_slli_epi32(words, 16));
}
#elif defined(__aarch64__)
inline Batch load(const BF16* p) {
    return vreinterpretq_f32_u32(vshll_n_u16(vld1_u16(&p->bits), 16));
}
#else
inline Batch load(const BF16* p) {
    alignas(64) float wide[batch_size];
    for (int i = 0; i < batch_size; ++i) wide[i] = from_bf16(p[i].bits);
    return Batch::load_aligned(wide);
}
#endif

inline void store(const Batch& values, BF16* p) {
    alignas(64) float wide[batch_size];
    values.store_aligned(wide);
    for (int i = 0; i < batch_size; ++i) p[i].bits = to_bf16(wide[i]);
}

}  // namespace tbt::simd
