// A row of a matrix product where fused multiply-adds are emulated (exact_fma.hpp): first as if no
// sum needed care, with a note whether one did. Few do, so the careful way runs for these alone.
#pragma once

#ifdef __wasm_simd128__  // elsewhere the header opens, and is empty

#include <cstdint>

#include <wasm_simd128.h>

#include "lib/kernels/wasm/exact_fma.hpp"

namespace tbt::wasm {

// y[n] = Σ_k x[k · x_step] · w[k, n] (+ bias[n]) for 4 · Vectors columns, in order of k, beginning
// with what y holds where `add` says so. The sums are doubles between the steps, rounded to floats
// after each. Returns false, and leaves y alone, where a sum may have been rounded wrongly.
template <int Vectors>
bool try_row(const float* x, std::int64_t x_step, const float* w, std::int64_t k, float* y,
             const float* bias, bool add) {
    constexpr int pairs = 2 * Vectors, width = 4 * Vectors;
    v128_t sum[pairs];
    for (int p = 0; p < pairs; ++p)
        sum[p] = add ? wasm_f64x2_promote_low_f32x4(wasm_v128_load64_zero(y + 2 * p))
                     : wasm_f64x2_splat(0.0);
    const v128_t low_bits = wasm_i64x2_splat(0x1fffffff), middle = wasm_i64x2_splat(0x10000000);
    v128_t tie = wasm_i64x2_splat(0), smallest = wasm_f64x2_splat(1.0);
    for (; k > 0; --k, x += x_step, w += width) {
        const v128_t a = wasm_f64x2_splat(static_cast<double>(*x));
        for (int p = 0; p < pairs; ++p) {
            const v128_t b = wasm_f64x2_promote_low_f32x4(wasm_v128_load64_zero(w + 2 * p));
            const v128_t s = wasm_f64x2_add(wasm_f64x2_mul(a, b), sum[p]);
            tie = wasm_v128_or(tie, wasm_i64x2_eq(wasm_v128_and(s, low_bits), middle));
            smallest = wasm_f64x2_pmin(smallest, wasm_f64x2_abs(s));
            sum[p] = wasm_f64x2_promote_low_f32x4(wasm_f32x4_demote_f64x2_zero(s));
        }
    }
    const v128_t small = wasm_f64x2_le(smallest, wasm_f64x2_splat(0x1p-126));
    if (wasm_v128_any_true(wasm_v128_or(tie, small))) return false;
    for (int v = 0; v < Vectors; ++v) {
        const v128_t s = to_floats(sum[2 * v], sum[2 * v + 1]);
        wasm_v128_store(y + 4 * v, bias ? wasm_f32x4_add(s, wasm_v128_load(bias + 4 * v)) : s);
    }
    return true;
}

}  // namespace tbt::wasm

#endif
