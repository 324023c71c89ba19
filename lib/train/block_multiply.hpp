// Matrix products c = a · b of blocks small enough for the processor's cache, without packing. It
// is the inner loop of attention in training.
// Included by .cpp files of lib only.
#pragma once

#include <cstdint>

#include "lib/core/simd.hpp"

namespace tbt::train {

// c (M, N) = a (M, K) · b (K, N), or c += a · b if `accumulate` is set. a may have any row and
// column stride, so it may be transposed. b and c are row-major, and N is a multiple of 16. Each
// element of c is summed in the order k = 0, 1, 2, …
struct BlockProduct {
    std::int64_t m, n, k;
    const float* a;
    std::int64_t a_row, a_column;
    const float* b;
    std::int64_t b_row;
    float* c;
    std::int64_t c_row;
    bool accumulate = false;
};

namespace detail {

// Computes a tile of c, R rows by L·16 columns, whose sums stay in registers during the loop over
// k.
template <int R, int L>
void multiply_tile(const BlockProduct& p, std::int64_t m, std::int64_t n) {
    simd::Lanes sum[R][L];
    float* c = p.c + m * p.c_row + n;
    for (int r = 0; r < R; ++r) {
        for (int l = 0; l < L; ++l) {
            sum[r][l] = p.accumulate ? simd::Lanes::load(c + r * p.c_row + l * simd::lane_count)
                                     : simd::Lanes::zero();
        }
    }
    const float* a = p.a + m * p.a_row;
    const float* b = p.b + n;
    for (std::int64_t k = 0; k < p.k; ++k, a += p.a_column, b += p.b_row) {
        simd::Lanes right[L];
        for (int l = 0; l < L; ++l) right[l] = simd::Lanes::load(b + l * simd::lane_count);
        for (int r = 0; r < R; ++r) {
            const simd::Lanes left = simd::Lanes::all(a[r * p.a_row]);
            for (int l = 0; l < L; ++l) sum[r][l] = simd::fma(left, right[l], sum[r][l]);
        }
    }
    for (int r = 0; r < R; ++r) {
        for (int l = 0; l < L; ++l) sum[r][l].store(c + r * p.c_row + l * simd::lane_count);
    }
}

// The rows that remain after the last whole tile.
template <int R, int L>
void multiply_last_rows(const BlockProduct& p, std::int64_t m, std::int64_t n) {
    if constexpr (R > 0) {
        if (p.m - m == R) multiply_tile<R, L>(p, m, n);
        else multiply_last_rows<R - 1, L>(p, m, n);
    }
}

// The tile's sums fit into the registers: 8 · 2 of AVX-512's 32, 3 · 2 · 2 of AVX2's 16,
// 3 · 2 · 4 of NEON's 32.
inline constexpr int tile_rows = simd::batch_count == 1 ? 8 : 3;

template <int L>
void multiply_columns(const BlockProduct& p, std::int64_t n) {
    std::int64_t m = 0;
    for (; m + tile_rows <= p.m; m += tile_rows) multiply_tile<tile_rows, L>(p, m, n);
    multiply_last_rows<tile_rows - 1, L>(p, m, n);
}

}  // namespace detail

inline void multiply(const BlockProduct& p) {
    std::int64_t n = 0;
    for (; n + 2 * simd::lane_count <= p.n; n += 2 * simd::lane_count)
        detail::multiply_columns<2>(p, n);
    if (n < p.n) detail::multiply_columns<1>(p, n);
}

}  // namespace tbt::train
