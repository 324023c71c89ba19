// The innermost step of an int8 matrix product: four products and their sum in every 32-bit lane.
// xsimd has no such operation, so there is one version with intrinsics for each instruction set,
// and a plain loop, all with the same interface. Included by .cpp files of lib only.
//
//   Int8Sums         `columns` int32 sums
//   add(x, w)        sum_c += Σ_{i<4} x_i · w[c][i]
//   max_together    the number of Int8Sums of one row that fit into the registers
//   x_offset         is added to every x before it is stored
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__AVX512VNNI__) || defined(__AVX2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

namespace tbt::kernel {

#if defined(__AVX512VNNI__)

// vpdpbusd needs unsigned x. So x is stored with 128 added, and 128 · Σ q_w is subtracted at the
// end.
struct Int8Sums {
    static constexpr int columns = 16, rows = 12, panels_of_one_row = 6, max_together = 64;
    static constexpr std::int32_t x_offset = 128;
    using X = __m512i;
    static X broadcast(const std::int8_t* x) {
        std::int32_t four;
        std::memcpy(&four, x, 4);
        return _mm512_set1_epi32(four);
    }
    __m512i sum = _mm512_setzero_si512();
    void add(const X& x, const std::int8_t* w) {
        sum = _mm512_dpbusd_epi32(sum, x, _mm512_loadu_si512(w));
    }
    void store(std::int32_t* to) const { _mm512_storeu_si512(to, sum); }
};

#elif defined(__AVXVNNI__)

// The same with half the width, for processors that have AVX-VNNI but not AVX-512.
struct Int8Sums {
    static constexpr int columns = 8, rows = 3, panels_of_one_row = 2, max_together = 64;
    static constexpr std::int32_t x_offset = 128;
    using X = __m256i;
    static X broadcast(const std::int8_t* x) {
        std::int32_t four;
        std::memcpy(&four, x, 4);
        return _mm256_set1_epi32(four);
    }
    __m256i sum = _mm256_setzero_si256();
    void add(const X& x, const std::int8_t* w) {
        sum = _mm256_dpbusd_avx_epi32(sum, x,
                                      _mm256_loadu_si256(reinterpret_cast<const __m256i*>(w)));
    }
    void store(std::int32_t* to) const { _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), sum); }
};

#elif defined(__AVX2__)

// maddubs needs one unsigned factor, so it multiplies |x| by w with the sign of x. It adds two
// products in 16 bits: at most 2 · 127 · 127 = 32,258, which fits.
struct Int8Sums {
    static constexpr int columns = 8, rows = 2, panels_of_one_row = 2, max_together = 64;
    static constexpr std::int32_t x_offset = 0;
    struct X {
        __m256i sign, absolute;
    };
    static X broadcast(const std::int8_t* x) {
        std::int32_t four;
        std::memcpy(&four, x, 4);
        const __m256i all = _mm256_set1_epi32(four);
        return {all, _mm256_abs_epi8(all)};
    }
    __m256i sum = _mm256_setzero_si256();
    void add(const X& x, const std::int8_t* w) {
        const __m256i signed_w =
            _mm256_sign_epi8(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(w)), x.sign);
        const __m256i pairs = _mm256_maddubs_epi16(x.absolute, signed_w);
        sum = _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
    }
    void store(std::int32_t* to) const { _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), sum); }
};

#elif defined(__aarch64__)

struct Int8Sums {
    static constexpr int columns = 4, rows = 3, panels_of_one_row = 2, max_together = 64;
    static constexpr std::int32_t x_offset = 0;
    using X = int8x16_t;
    static X broadcast(const std::int8_t* x) {
        std::int32_t four;
        std::memcpy(&four, x, 4);
        return vreinterpretq_s8_s32(vdupq_n_s32(four));
    }
    int32x4_t sum = vdupq_n_s32(0);
    void add(const X& x, const std::int8_t* w) {
        const int8x16_t v = vld1q_s8(w);
#if defined(__ARM_FEATURE_DOTPROD)
        sum = vdotq_s32(sum, v, x);
#else
        const int32x4_t low = vpaddlq_s16(vmull_s8(vget_low_s8(v), vget_low_s8(x)));
        const int32x4_t high = vpaddlq_s16(vmull_s8(vget_high_s8(v), vget_high_s8(x)));
        sum = vaddq_s32(sum, vpaddq_s32(low, high));
#endif
    }
    void store(std::int32_t* to) const { vst1q_s32(to, sum); }
};

#elif defined(__wasm_simd128__)

// Products are added in pairs: each column has two sums, which are added at the end.
struct Int8Sums {
    static constexpr int columns = 4, rows = 1, panels_of_one_row = 1, max_together = 4;
    static constexpr std::int32_t x_offset = 0;
    using X = v128_t;
    static X broadcast(const std::int8_t* x) {
        return wasm_i16x8_extend_low_i8x16(wasm_v128_load32_splat(x));
    }
    v128_t low = wasm_i32x4_splat(0), high = low;
    void add(const X& x, const std::int8_t* w) {
        low = wasm_i32x4_add(low, wasm_i32x4_dot_i16x8(x, wasm_i16x8_load8x8(w)));
        high = wasm_i32x4_add(high, wasm_i32x4_dot_i16x8(x, wasm_i16x8_load8x8(w + 8)));
    }
    void store(std::int32_t* to) const {
        wasm_v128_store(to, wasm_i32x4_add(wasm_i32x4_shuffle(low, high, 0, 2, 4, 6),
                                           wasm_i32x4_shuffle(low, high, 1, 3, 5, 7)));
    }
};

#else

struct Int8Sums {
    static constexpr int columns = 32, rows = 1, panels_of_one_row = 1, max_together = 64;
    static constexpr std::int32_t x_offset = 0;
    using X = const std::int8_t*;
    static X broadcast(const std::int8_t* x) { return x; }
    std::int32_t sum[columns] = {};
    void add(const X& x, const std::int8_t* w) {
        for (int c = 0; c < columns; ++c)
            for (int i = 0; i < 4; ++i) sum[c] += x[i] * w[4 * c + i];
    }
    void store(std::int32_t* to) const { std::memcpy(to, sum, sizeof sum); }
};

#endif

}  // namespace tbt::kernel
