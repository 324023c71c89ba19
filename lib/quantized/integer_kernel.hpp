// The innermost steps of matrix products with 8-bit and 4-bit weights, and the loop over tiles
// around them. xsimd has no operation for four products and their sum in a 32-bit lane, so there is
// one version with intrinsics for each instruction set, and a plain loop, all with the same
// results. Included by .cpp files of lib only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__AVX512VNNI__) || defined(__AVX2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

#include "lib/kernels/matmul.hpp"

namespace tbt::kernel {

inline std::int32_t four_bytes(const std::int8_t* x) {
    std::int32_t four;
    std::memcpy(&four, x, 4);
    return four;
}

// ---- 8 bits -------------------------------------------------------------------------------------
//   Int8Sums           `columns` int32 sums
//   add(x, w)          sum_c += Σ_{i<4} x_i · w[c][i]
//   rows               the most rows of x in a tile
//   panels_of_one_row  the panels that a single row takes side by side
//   max_together       the most Int8Sums of one row that fit into the registers (64: all of a tile)
//   x_offset           is added to every x before it is stored

#if defined(__AVX512VNNI__)

// vpdpbusd needs unsigned x. So x is stored with 128 added, and 128 · Σ q_w is subtracted at the
// end.
struct Int8Sums {
    static constexpr int columns = 16, rows = 12, panels_of_one_row = 6, max_together = 64;
    static constexpr std::int32_t x_offset = 128;
    using X = __m512i;
    static X broadcast(const std::int8_t* x) { return _mm512_set1_epi32(four_bytes(x)); }
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
    static X broadcast(const std::int8_t* x) { return _mm256_set1_epi32(four_bytes(x)); }
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
        const __m256i all = _mm256_set1_epi32(four_bytes(x));
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
        return vreinterpretq_s8_s32(vdupq_n_s32(four_bytes(x)));
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

// ---- 4 bits -------------------------------------------------------------------------------------
// Unpacks 4-bit weights in registers, multiplies them with 8-bit x and sums. A byte has two weights
// as q + 8, which is 1 to 15 and needs no sign. That adds 8 · Σ x to the sum of a group, so the sum
// begins with −8 · Σ x.
//
//   start(offset)       begins a group of 32 k: sum_c = offset for each column c
//   unpack(p)           the codes of two quads of k for each column: low and high 4 bits of a byte
//   add(codes, x, x')   sum_c += Σ_{i<4} x_i · low[c][i] + Σ_{i<4} x'_i · high[c][i]
//   close(m)            ends the group: total_c += m_c · sum_c, with the multipliers m

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

// ---- the loop over tiles ------------------------------------------------------------------------
inline constexpr int integer_panel = 32;  // columns of a panel

// Weights are prefetched this many bytes ahead, also from the next panels. That is far enough to
// hide the memory's latency, and keeps the memory busy while the rows are multiplied.
inline constexpr std::int64_t fetch_ahead = 8 * 1024;
template <int Bytes, class Code>
void prefetch(const Code* w) {
    const char* ahead = reinterpret_cast<const char*>(w) + fetch_ahead;
    for (int i = 0; i < Bytes; i += 64) __builtin_prefetch(ahead + i);
}

// The arguments of one matrix product.
struct IntegerJob {
    std::int64_t n;
    float* y;
    std::int64_t y_stride;
    const MatmulOptions& options;
    const float* row_scales;          // (M)
    const float* scales;              // (N)
    const std::int32_t* column_sums;  // (N), Σ_k q_w; used if the sums are of x + Offset
};

// Writes the sums of one row and `columns` columns, beginning with `column`, to y. Integers are
// converted to floats; floats are the product already.
template <std::int32_t Offset, class Sum>
void finish(const IntegerJob& job, std::int64_t row, std::int64_t column, std::int64_t columns,
            const Sum* sums) {
    columns = std::min(columns, job.n - column);
    float* y = job.y + row * job.y_stride + column;
    [[maybe_unused]] const float* scales = job.scales + column;
    [[maybe_unused]] float row_scale = 1;
    if constexpr (std::is_integral_v<Sum>) row_scale = job.row_scales[row];
    for (std::int64_t n = 0; n < columns; ++n) {
        Sum sum = sums[n];
        if constexpr (Offset != 0)  // the product may exceed 32 bits, the difference does not
            sum =
                static_cast<Sum>(static_cast<std::uint32_t>(sum) -
                                 Offset * static_cast<std::uint32_t>(job.column_sums[column + n]));
        float product = static_cast<float>(sum);
        if constexpr (std::is_integral_v<Sum>) product *= row_scale * scales[n];
        y[n] = job.options.accumulate ? y[n] + product : product;
    }
    if (job.options.bias)
        for (std::int64_t n = 0; n < columns; ++n) y[n] += job.options.bias[column + n];
    if (job.options.activation) job.options.activation(y, columns);
}

// Computes y for all rows and these panels. multiply(row, rows, p, panels, sums) computes the sums
// of one tile. A single row takes several panels at once, so that several streams of weights come
// from memory.
template <class Sums, std::int32_t Offset, class Sum = std::int32_t, class Multiply>
void integer_tiles(const IntegerJob& job, std::int64_t rows, Range panels, Multiply multiply) {
    constexpr int together = Sums::panels_of_one_row;
    Sum sums[std::max(Sums::rows, together) * integer_panel];
    std::int64_t p = panels.begin;
    for (; rows == 1 && p + together <= panels.end; p += together) {
        multiply(0, 1, p, together, sums);
        finish<Offset>(job, 0, p * integer_panel, together * integer_panel, sums);
    }
    const std::int64_t tiles = (rows + Sums::rows - 1) / Sums::rows;
    for (; p < panels.end; ++p) {
        for (std::int64_t tile = 0; tile < tiles; ++tile) {
            const std::int64_t row = rows * tile / tiles, count = rows * (tile + 1) / tiles - row;
            multiply(row, count, p, 1, sums);
            for (std::int64_t r = 0; r < count; ++r)
                finish<Offset>(job, row + r, p * integer_panel, integer_panel,
                               sums + r * integer_panel);
        }
    }
}

}  // namespace tbt::kernel
