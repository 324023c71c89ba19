// Vectors of as many doubles as a register has. Included by .cpp files of lib only.
//
// Results must not depend on that number. So use these vectors only elementwise, or for sums of
// integers.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include <xsimd/xsimd.hpp>

namespace tbt::simd {

using Doubles = xsimd::batch<double>;
using Integers = xsimd::batch<std::int64_t>;
inline constexpr std::size_t doubles = Doubles::size;

// a · b + c, rounded once (see simd.hpp).
inline Doubles fma(const Doubles& a, const Doubles& b, const Doubles& c) {
#if defined(__AVX512F__)
    return _mm512_fmadd_pd(a, b, c);
#else
    return xsimd::fma(a, b, c);
#endif
}

inline Doubles load_as_double(const float* p) {
#if defined(__AVX512F__)
    return _mm512_cvtps_pd(_mm256_loadu_ps(p));
#elif defined(__AVX__)
    return _mm256_cvtps_pd(_mm_loadu_ps(p));
#else
    alignas(64) double d[doubles];
    for (std::size_t i = 0; i < doubles; ++i) d[i] = static_cast<double>(p[i]);
    return Doubles::load_aligned(d);
#endif
}

inline void store_as_float(const Doubles& x, float* p) {
#if defined(__AVX512F__)
    _mm256_storeu_ps(p, _mm512_cvtpd_ps(x));
#elif defined(__AVX__)
    _mm_storeu_ps(p, _mm256_cvtpd_ps(x));
#else
    alignas(64) double d[doubles];
    x.store_aligned(d);
    for (std::size_t i = 0; i < doubles; ++i) p[i] = static_cast<float>(d[i]);
#endif
}

inline Doubles as_doubles(const Integers& x) { return std::bit_cast<Doubles>(x); }
inline Integers as_integers(const Doubles& x) { return std::bit_cast<Integers>(x); }

}  // namespace tbt::simd
