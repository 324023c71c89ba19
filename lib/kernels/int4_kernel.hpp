// The innermost step of an int4 matrix product: unpacks 4-bit weights in registers, multiplies them
// with 8-bit x and sums. There is one version for each instruction set, all with the same results.
// Included by .cpp files of lib only.
//
// A byte has two weights as q + 8, which is 1 to 15 and needs no sign. That adds 8 · Σ x to the sum
// of a group, so the sum begins with −8 · Σ x.
//
//   start(offset)       begins a group of 32 k: sum_c = offset for each column c
//   unpack(p)           the codes of two quads of k for each column: low and high 4 bits of a byte
//   add(codes, x, x')   sum_c += Σ_{i<4} x_i · low[c][i] + Σ_{i<4} x'_i · high[c][i]
//   close(m)            ends the group: total_c += m_c · sum_c, with the multipliers m
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__AVX512VNNI__) || defined(__AVX2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace tbt::kernel {

inline std::int32_t four_bytes(const std::int8_t* x) {
    std::int32_t four;
    std::memcpy(&four, x, 4);
    return four;
}

#if defined(__AVX512VNNI__)

struct Int4Sums {
    static constexpr int columns = 16, rows = 6, panels_of_one_row = 1, max_together = 2;
    using X = __m512i;
    struct Codes {
        __m512i low, high;
    };
    static X broadcast(const std::int8_t* x) { return _mm512_set1_epi32(four_bytes(x)); }
    static Codes unpack(const std::uint8_t* p) {
        const __m512i both = _mm512_loadu_si512(p), mask = _mm512_set1_epi8(15);
        return {_mm512_and_si512(both, mask), _mm512_and_si512(_mm512_srli_epi32(both, 4), mask)};
    }
    __m512i sum, total = _mm512_setzero_si512();
    void start(std::int32_t offset) { sum = _mm512_set1_epi32(offset); }
    void add(const Codes& w, const X& low, const X& high) {
        sum = _mm512_dpbusd_epi32(sum, w.low, low);
        sum = _mm512_dpbusd_epi32(sum, w.high, high);
    }
    void close(const std::uint8_t* m) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(m));
        total = _mm512_add_epi32(total, _mm512_mullo_epi32(sum, _mm512_cvtepu8_epi32(bytes)));
    }
    void store(std::int32_t* to) const { _mm512_storeu_si512(to, total); }
};

#elif defined(__AVX2__)

struct Int4Eight {  // the common part of the two versions with eight lanes
    static constexpr int columns = 8, rows = 2, panels_of_one_row = 1;
    using X = __m256i;
    struct Codes {
        __m256i low, high;
    };
    static X broadcast(const std::int8_t* x) { return _mm256_set1_epi32(four_bytes(x)); }
    static Codes unpack(const std::uint8_t* p) {
        const __m256i both = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)),
                      mask = _mm256_set1_epi8(15);
        return {_mm256_and_si256(both, mask), _mm256_and_si256(_mm256_srli_epi32(both, 4), mask)};
    }
    __m256i total = _mm256_setzero_si256();
    void close(const std::uint8_t* m, __m256i sum) {
        const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(m));
        total = _mm256_add_epi32(total, _mm256_mullo_epi32(sum, _mm256_cvtepu8_epi32(bytes)));
    }
    void store(std::int32_t* to) const {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), total);
    }
};

#if defined(__AVXVNNI__)

struct Int4Sums : Int4Eight {
    static constexpr int max_together = 4;
    __m256i sum;
    void start(std::int32_t offset) { sum = _mm256_set1_epi32(offset); }
    void add(const Codes& w, const X& low, const X& high) {
        sum = _mm256_dpbusd_avx_epi32(sum, w.low, low);
        sum = _mm256_dpbusd_avx_epi32(sum, w.high, high);
    }
    void close(const std::uint8_t* m) { Int4Eight::close(m, sum); }
};

#else

// The sums of a group fit into 16 bits: 8 times two products of at most 15 · 127 are 30,480.
struct Int4Sums : Int4Eight {
    static constexpr int max_together = 2;
    __m256i pairs, first;
    void start(std::int32_t offset) {
        pairs = _mm256_setzero_si256(), first = _mm256_set1_epi32(offset);
    }
    void add(const Codes& w, const X& low, const X& high) {
        pairs = _mm256_add_epi16(pairs, _mm256_maddubs_epi16(w.low, low));
        pairs = _mm256_add_epi16(pairs, _mm256_maddubs_epi16(w.high, high));
    }
    void close(const std::uint8_t* m) {
        Int4Eight::close(m,
                         _mm256_add_epi32(first, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1))));
    }
};

#endif

#elif defined(__aarch64__)

struct Int4Sums {
    static constexpr int columns = 4, rows = 2, panels_of_one_row = 1, max_together = 4;
    using X = int8x16_t;
    struct Codes {
        int8x16_t low, high;
    };
    static X broadcast(const std::int8_t* x) {
        return vreinterpretq_s8_s32(vdupq_n_s32(four_bytes(x)));
    }
    static Codes unpack(const std::uint8_t* p) {
        const uint8x16_t both = vld1q_u8(p);
        return {vreinterpretq_s8_u8(vandq_u8(both, vdupq_n_u8(15))),
                vreinterpretq_s8_u8(vshrq_n_u8(both, 4))};
    }
    static int32x4_t dot(const int32x4_t& sum, const int8x16_t& w, const int8x16_t& x) {
#if defined(__ARM_FEATURE_DOTPROD)
        return vdotq_s32(sum, w, x);
#else
        const int32x4_t low = vpaddlq_s16(vmull_s8(vget_low_s8(w), vget_low_s8(x)));
        const int32x4_t high = vpaddlq_s16(vmull_s8(vget_high_s8(w), vget_high_s8(x)));
        return vaddq_s32(sum, vpaddq_s32(low, high));
#endif
    }
    int32x4_t sum, total = vdupq_n_s32(0);
    void start(std::int32_t offset) { sum = vdupq_n_s32(offset); }
    void add(const Codes& w, const X& low, const X& high) {
        sum = dot(dot(sum, w.low, low), w.high, high);
    }
    void close(const std::uint8_t* m) {
        const std::int32_t wide[] = {m[0], m[1], m[2], m[3]};
        total = vmlaq_s32(total, sum, vld1q_s32(wide));
    }
    void store(std::int32_t* to) const { vst1q_s32(to, total); }
};

#else

struct Int4Sums {
    static constexpr int columns = 32, rows = 1, panels_of_one_row = 1, max_together = 1;
    using X = const std::int8_t*;
    using Codes = const std::uint8_t*;
    static X broadcast(const std::int8_t* x) { return x; }
    static Codes unpack(const std::uint8_t* p) { return p; }
    std::int32_t sum[columns] = {}, total[columns] = {};
    void start(std::int32_t offset) {
        for (std::int32_t& s : sum) s = offset;
    }
    void add(const Codes& w, const X& low, const X& high) {
        for (int c = 0; c < columns; ++c)
            for (int i = 0; i < 4; ++i)
                sum[c] += low[i] * (w[4 * c + i] & 15) + high[i] * (w[4 * c + i] >> 4);
    }
    void close(const std::uint8_t* m) {
        for (int c = 0; c < columns; ++c) total[c] += sum[c] * m[c];
    }
    void store(std::int32_t* to) const { std::memcpy(to, total, sizeof total); }
};

#endif

}  // namespace tbt::kernel
