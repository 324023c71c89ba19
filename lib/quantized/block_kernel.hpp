// The innermost steps of products with blocks of GGUF (block_matrix.hpp), for each instruction set,
// all with the same results. Included by .cpp files of lib only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "lib/quantized/integer_kernel.hpp"

namespace tbt::kernel {

// Sums of one row of x and `columns` columns:
//   start(s)             begins a group: sum_c = s
//   add(w, x)            sum_c += Σ_{i<4} w[c][i] · x_i, with w from 0 to 255
//   close()              ends the group of a unit without scales: total_c = sum_c
//   close(scales)        ends a group: total_c += scales_c · sum_c
//   subtract(minima, s)  least_c += minima_c · s
//   end(d, x_scale)      ends a unit: y_c += float(total_c) · (d_c · x_scale)
//   end_minima(m, x_scale)            y_c −= float(least_c) · (m_c · x_scale)
// Weights: codes8(p) are four k of each column, one byte each; Table::halves(p) the values of two
// times four k, whose codes are the low and the high halves of bytes.

#if defined(__AVX512VNNI__) && defined(__AVX512BW__)

struct BlockSums {
    static constexpr int columns = 16, rows = 4, together = 2, panels_of_one_row = 1;
    using W = __m512i;
    using X = __m512i;
    static X broadcast(const std::int8_t* x) { return _mm512_set1_epi32(four_bytes(x)); }
    static W codes8(const std::uint8_t* p) { return _mm512_loadu_si512(p); }
    struct Halves {
        W low, high;
    };
    struct Table {
        __m512i values, mask = _mm512_set1_epi8(15);
        explicit Table(const std::uint8_t* sixteen)
            : values(_mm512_broadcast_i32x4(
                  _mm_loadu_si128(reinterpret_cast<const __m128i*>(sixteen)))) {}
        Halves halves(const std::uint8_t* p) const {
            const __m512i both = _mm512_loadu_si512(p);
            return {
                _mm512_shuffle_epi8(values, _mm512_and_si512(both, mask)),
                _mm512_shuffle_epi8(values, _mm512_and_si512(_mm512_srli_epi32(both, 4), mask))};
        }
    };
    __m512i sum, total = _mm512_setzero_si512(), least = _mm512_setzero_si512();
    __m512 y = _mm512_setzero_ps();
    static __m128i sixteen(const void* p) {
        return _mm_loadu_si128(static_cast<const __m128i*>(p));
    }
    void start(std::int32_t s) { sum = _mm512_set1_epi32(s); }
    void add(const W& w, const X& x) { sum = _mm512_dpbusd_epi32(sum, w, x); }
    void close() { total = sum; }
    void close(const std::uint8_t* scales) {
        total =
            _mm512_add_epi32(total, _mm512_mullo_epi32(sum, _mm512_cvtepi8_epi32(sixteen(scales))));
    }
    void subtract(const std::uint8_t* minima, std::int32_t s) {
        least = _mm512_add_epi32(
            least, _mm512_mullo_epi32(_mm512_set1_epi32(s), _mm512_cvtepu8_epi32(sixteen(minima))));
    }
    static __m512 product(__m512i n, const float* d, float x_scale) {
        return _mm512_mul_ps(_mm512_cvtepi32_ps(n),
                             _mm512_mul_ps(_mm512_loadu_ps(d), _mm512_set1_ps(x_scale)));
    }
    void end(const float* d, float x_scale) {
        y = _mm512_add_ps(y, product(total, d, x_scale));
        total = _mm512_setzero_si512();
    }
    void end_minima(const float* m, float x_scale) {
        y = _mm512_sub_ps(y, product(least, m, x_scale));
        least = _mm512_setzero_si512();
    }
    void store(float* to) const { _mm512_storeu_ps(to, y); }
};

#elif defined(__AVX2__)

// maddubs would overflow with weights up to 255, so bytes are widened to 16 bits. `low` has the
// sums of columns 0 to 3 in pairs, `high` those of 4 to 7.
struct BlockSums {
    static constexpr int columns = 8, rows = 2, together = 1, panels_of_one_row = 1;
    using W = __m256i;
    using X = __m256i;
    static X broadcast(const std::int8_t* x) {
        return _mm256_cvtepi8_epi16(_mm_set1_epi32(four_bytes(x)));
    }
    static W codes8(const std::uint8_t* p) {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    }
    struct Halves {
        W low, high;
    };
    struct Table {
        __m256i values, mask = _mm256_set1_epi8(15);
        explicit Table(const std::uint8_t* sixteen)
            : values(_mm256_broadcastsi128_si256(
                  _mm_loadu_si128(reinterpret_cast<const __m128i*>(sixteen)))) {}
        Halves halves(const std::uint8_t* p) const {
            const __m256i both = codes8(p);
            return {
                _mm256_shuffle_epi8(values, _mm256_and_si256(both, mask)),
                _mm256_shuffle_epi8(values, _mm256_and_si256(_mm256_srli_epi32(both, 4), mask))};
        }
    };
    __m256i low, high, first;
    __m256i total = _mm256_setzero_si256(), least = _mm256_setzero_si256();
    __m256 y = _mm256_setzero_ps();
    void start(std::int32_t s) {
        low = high = _mm256_setzero_si256(), first = _mm256_set1_epi32(s);
    }
    static __m256i dot(const __m128i& w, const X& x) {
        return _mm256_madd_epi16(_mm256_cvtepu8_epi16(w), x);
    }
    void add(const W& w, const X& x) {
        low = _mm256_add_epi32(low, dot(_mm256_castsi256_si128(w), x));
        high = _mm256_add_epi32(high, dot(_mm256_extracti128_si256(w, 1), x));
    }
    __m256i sum() const {
        const __m256i pairs = _mm256_hadd_epi32(low, high);
        return _mm256_add_epi32(first, _mm256_permute4x64_epi64(pairs, 0xd8));
    }
    static __m128i eight(const void* p) { return _mm_loadl_epi64(static_cast<const __m128i*>(p)); }
    void close() { total = sum(); }
    void close(const std::uint8_t* scales) {
        total =
            _mm256_add_epi32(total, _mm256_mullo_epi32(sum(), _mm256_cvtepi8_epi32(eight(scales))));
    }
    void subtract(const std::uint8_t* minima, std::int32_t s) {
        least = _mm256_add_epi32(
            least, _mm256_mullo_epi32(_mm256_set1_epi32(s), _mm256_cvtepu8_epi32(eight(minima))));
    }
    static __m256 product(__m256i n, const float* d, float x_scale) {
        return _mm256_mul_ps(_mm256_cvtepi32_ps(n),
                             _mm256_mul_ps(_mm256_loadu_ps(d), _mm256_set1_ps(x_scale)));
    }
    void end(const float* d, float x_scale) {
        y = _mm256_add_ps(y, product(total, d, x_scale));
        total = _mm256_setzero_si256();
    }
    void end_minima(const float* m, float x_scale) {
        y = _mm256_sub_ps(y, product(least, m, x_scale));
        least = _mm256_setzero_si256();
    }
    void store(float* to) const { _mm256_storeu_ps(to, y); }
};

#else

struct BlockSums {
    static constexpr int columns = 32, rows = 1, together = 1, panels_of_one_row = 1;
    using W = const std::uint8_t*;
    using X = const std::int8_t*;
    static X broadcast(const std::int8_t* x) { return x; }
    static W codes8(const std::uint8_t* p) { return p; }
    struct Halves {
        std::uint8_t low[128], high[128];
    };
    struct Table {
        const std::uint8_t* values;
        explicit Table(const std::uint8_t* sixteen) : values(sixteen) {}
        Halves halves(const std::uint8_t* p) const {
            Halves both;
            for (int i = 0; i < 128; ++i)
                both.low[i] = values[p[i] & 15], both.high[i] = values[p[i] >> 4];
            return both;
        }
    };
    std::int32_t sum[columns] = {}, total[columns] = {}, least[columns] = {};
    float y[columns] = {};
    void start(std::int32_t s) { std::fill_n(sum, columns, s); }
    void add(const W& w, const X& x) {
        for (int c = 0; c < columns; ++c)
            for (int i = 0; i < 4; ++i) sum[c] += w[4 * c + i] * x[i];
    }
    void close() { std::memcpy(total, sum, sizeof total); }
    void close(const std::uint8_t* scales) {
        for (int c = 0; c < columns; ++c) total[c] += sum[c] * static_cast<std::int8_t>(scales[c]);
    }
    void subtract(const std::uint8_t* minima, std::int32_t s) {
        for (int c = 0; c < columns; ++c) least[c] += minima[c] * s;
    }
    void end(const float* d, float x_scale) {
        for (int c = 0; c < columns; ++c) {
            y[c] += static_cast<float>(total[c]) * (d[c] * x_scale);
            total[c] = 0;
        }
    }
    void end_minima(const float* m, float x_scale) {
        for (int c = 0; c < columns; ++c) {
            y[c] -= static_cast<float>(least[c]) * (m[c] * x_scale);
            least[c] = 0;
        }
    }
    void store(float* to) const { std::memcpy(to, y, sizeof y); }
};

#endif

}  // namespace tbt::kernel
