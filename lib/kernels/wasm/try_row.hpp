// A fast path for one row of a matrix product where fused multiply-adds are emulated
// (exact_fma.hpp). It computes a few steps of k at a time with a fast rounding, which detects
// whether a sum may be wrong. Only then are these few steps computed again exactly.
//
// The fast rounding: the exact product of two floats and the present sum are added as doubles, and
// 2^28 is added to the bits of the result. Dropping the low 29 bits then rounds to the 24 bits of a
// float; a double halfway between two floats is rounded up, which may be wrong. Exactly in this
// case the dropped bits are 0. Before this, the range of the factors must ensure that all sums are
// multiples of the smallest float and that none overflows.
#pragma once

#include <algorithm>
#include <cstdint>

#include "lib/kernels/packed_matrix.hpp"
#ifdef __wasm_simd128__  // on other machines this header is empty

#include <wasm_simd128.h>

#include "lib/kernels/wasm/exact_fma.hpp"

namespace tbt::wasm {

inline constexpr std::int64_t steps_at_once = 16;  // more steps would be repeated more often

// Is the fast rounding safe for factors of this range? Products other than 0 must be at least
// 2^-102; then they are multiples of 2^-149, as floats are, and so are all sums. And the sum of k
// products and the old value must stay far below the largest float.
inline bool without_surprise(const Magnitudes& x, const Magnitudes& w, std::int64_t k) {
    return static_cast<double>(x.smallest) * static_cast<double>(w.smallest) >= 0x1p-102 &&
           static_cast<double>(x.largest) * static_cast<double>(w.largest) *
                   static_cast<double>(k) <=
               0x1p126;
}

// Computes `steps` steps of k exactly: each sum is rounded once in every case.
template <int Vectors>
[[gnu::noinline]] void add_with_care(const float* x, std::int64_t x_step, const float* w,
                                     std::int64_t steps, double* sum) {
    constexpr int pairs = 2 * Vectors, width = 4 * Vectors;
    for (; steps > 0; --steps, x += x_step, w += width) {
        const v128_t a = wasm_f64x2_splat(static_cast<double>(*x));
        for (int p = 0; p < pairs; ++p) {
            const v128_t b = wasm_f64x2_promote_low_f32x4(wasm_v128_load64_zero(w + 2 * p));
            const v128_t s = add_to_odd(wasm_f64x2_mul(a, b), wasm_v128_load(sum + 2 * p));
            wasm_v128_store(sum + 2 * p,
                            wasm_f64x2_promote_low_f32x4(wasm_f32x4_demote_f64x2_zero(s)));
        }
    }
}

// y[n] = Σ_k x[k · x_step] · w[k, n] (+ bias[n]) for 4 · Vectors columns, in order of k, beginning
// with the old y if `add` is set. Returns false, and leaves y unchanged, if a factor is so small or
// so large that a sum may be rounded wrongly.
template <int Vectors>
bool try_row(const float* x, std::int64_t x_step, const float* w, const Magnitudes& weights,
             std::int64_t k, float* y, const float* bias, bool add) {
    constexpr int pairs = 2 * Vectors, width = 4 * Vectors;
    if (!without_surprise(magnitudes_of(x, x_step, k), weights, k)) return false;
    if (add && !(magnitudes_of(y, 1, width).largest <= 0x1p126f)) return false;
    alignas(16) double kept[2 * pairs];  // the sums before these steps
    v128_t sum[pairs];
    for (int p = 0; p < pairs; ++p)
        sum[p] = add ? wasm_f64x2_promote_low_f32x4(wasm_v128_load64_zero(y + 2 * p))
                     : wasm_f64x2_splat(0.0);
    const v128_t half = wasm_i64x2_splat(0x10000000), high_bits = wasm_i64x2_splat(-0x20000000);
    while (k > 0) {
        const std::int64_t steps = std::min(k, steps_at_once);
        const float *x_before = x, *w_before = w;
        for (int p = 0; p < pairs; ++p) wasm_v128_store(kept + 2 * p, sum[p]);
        v128_t between = wasm_i64x2_splat(0);
        for (std::int64_t i = 0; i < steps; ++i, x += x_step, w += width) {
            const v128_t a = wasm_f64x2_splat(static_cast<double>(*x));
            for (int p = 0; p < pairs; ++p) {
                const v128_t b = wasm_f64x2_promote_low_f32x4(wasm_v128_load64_zero(w + 2 * p));
                const v128_t s = wasm_i64x2_add(wasm_f64x2_add(wasm_f64x2_mul(a, b), sum[p]), half);
                sum[p] = wasm_v128_and(s, high_bits);
                between = wasm_v128_or(between, wasm_i64x2_eq(s, sum[p]));
            }
        }
        k -= steps;
        if (!wasm_v128_any_true(between)) continue;
        add_with_care<Vectors>(x_before, x_step, w_before, steps, kept);
        for (int p = 0; p < pairs; ++p) sum[p] = wasm_v128_load(kept + 2 * p);
    }
    for (int v = 0; v < Vectors; ++v) {
        const v128_t s = to_floats(sum[2 * v], sum[2 * v + 1]);
        wasm_v128_store(y + 4 * v, bias ? wasm_f32x4_add(s, wasm_v128_load(bias + 4 * v)) : s);
    }
    return true;
}

}  // namespace tbt::wasm

#endif
