// The parts of xsimd that lib uses, for WebAssembly: vectors of 128 bits. For MODE=wasm the
// Makefile puts this folder before the system's: xsimd supports WebAssembly only since version 9,
// and its fma() rounds twice there. This one rounds once, as on x86 and ARM. min and max return
// their second operand if one is NaN, as on x86.
#pragma once

#ifdef __wasm_simd128__  // on other machines this header is empty

#include <cstddef>
#include <cstdint>

#include <wasm_simd128.h>

#include "lib/kernels/wasm/exact_fma.hpp"

namespace xsimd {

// A separate namespace, so that argument-dependent lookup does not find the functions below: lib
// calls them as xsimd::….
namespace kinds {

template <class T>
struct batch;

// The result of a comparison: lanes of ones or of zeros.
struct lanes_mask {
    v128_t bits;
    friend lanes_mask operator&(lanes_mask a, lanes_mask b) {
        return {wasm_v128_and(a.bits, b.bits)};
    }
    friend lanes_mask operator|(lanes_mask a, lanes_mask b) {
        return {wasm_v128_or(a.bits, b.bits)};
    }
};

// The common part of all kinds of vectors: loading and storing.
template <class T>
struct batch_base {
    static constexpr std::size_t size = 16 / sizeof(T);
    v128_t v;

    static batch<T> load_unaligned(const T* p) { return batch<T>(wasm_v128_load(p)); }
    static batch<T> load_aligned(const T* p) { return load_unaligned(p); }
    void store_unaligned(T* p) const { wasm_v128_store(p, v); }
    void store_aligned(T* p) const { store_unaligned(p); }
};

template <>
struct batch<float> : batch_base<float> {
    batch() = default;
    batch(v128_t x) : batch_base{x} {}
    explicit batch(float x) : batch_base{wasm_f32x4_splat(x)} {}

    friend batch operator+(batch a, batch b) { return wasm_f32x4_add(a.v, b.v); }
    friend batch operator-(batch a, batch b) { return wasm_f32x4_sub(a.v, b.v); }
    friend batch operator*(batch a, batch b) { return wasm_f32x4_mul(a.v, b.v); }
    friend batch operator/(batch a, batch b) { return wasm_f32x4_div(a.v, b.v); }
    friend lanes_mask operator<(batch a, batch b) { return {wasm_f32x4_lt(a.v, b.v)}; }
    friend lanes_mask operator>=(batch a, batch b) { return {wasm_f32x4_ge(a.v, b.v)}; }
    friend lanes_mask operator!=(batch a, batch b) { return {wasm_f32x4_ne(a.v, b.v)}; }
};

template <>
struct batch<double> : batch_base<double> {
    batch() = default;
    batch(v128_t x) : batch_base{x} {}
    explicit batch(double x) : batch_base{wasm_f64x2_splat(x)} {}

    friend batch operator+(batch a, batch b) { return wasm_f64x2_add(a.v, b.v); }
    friend batch operator-(batch a, batch b) { return wasm_f64x2_sub(a.v, b.v); }
    friend batch operator*(batch a, batch b) { return wasm_f64x2_mul(a.v, b.v); }
    friend batch operator-(batch a) { return wasm_f64x2_neg(a.v); }
};

template <>
struct batch<std::int32_t> : batch_base<std::int32_t> {
    batch(v128_t x) : batch_base{x} {}
    explicit batch(std::int32_t x) : batch_base{wasm_i32x4_splat(x)} {}

    friend batch operator&(batch a, batch b) { return wasm_v128_and(a.v, b.v); }
};

template <>
struct batch<std::int64_t> : batch_base<std::int64_t> {
    batch() = default;
    batch(v128_t x) : batch_base{x} {}
    explicit batch(std::int64_t x) : batch_base{wasm_i64x2_splat(x)} {}

    friend batch operator+(batch a, batch b) { return wasm_i64x2_add(a.v, b.v); }
    friend batch operator-(batch a, batch b) { return wasm_i64x2_sub(a.v, b.v); }
    friend batch operator&(batch a, batch b) { return wasm_v128_and(a.v, b.v); }
    friend batch operator|(batch a, batch b) { return wasm_v128_or(a.v, b.v); }
    friend batch operator<<(batch a, std::uint32_t bits) { return wasm_i64x2_shl(a.v, bits); }
    batch& operator+=(batch b) { return *this = *this + b; }
};

}  // namespace kinds
using kinds::batch;
using kinds::lanes_mask;

inline bool any(lanes_mask m) { return wasm_v128_any_true(m.bits); }
inline bool all(lanes_mask m) { return wasm_i8x16_all_true(m.bits); }

// WebAssembly's pmin(a, b) is b < a ? b : a.
inline batch<float> min(batch<float> a, batch<float> b) { return wasm_f32x4_pmin(b.v, a.v); }
inline batch<float> max(batch<float> a, batch<float> b) { return wasm_f32x4_pmax(b.v, a.v); }
inline batch<double> min(batch<double> a, batch<double> b) { return wasm_f64x2_pmin(b.v, a.v); }
inline batch<double> max(batch<double> a, batch<double> b) { return wasm_f64x2_pmax(b.v, a.v); }
inline batch<double> abs(batch<double> a) { return wasm_f64x2_abs(a.v); }
inline batch<float> sqrt(batch<float> a) { return wasm_f32x4_sqrt(a.v); }
inline batch<float> nearbyint(batch<float> a) { return wasm_f32x4_nearest(a.v); }
inline batch<std::int32_t> to_int(batch<float> a) { return wasm_i32x4_trunc_sat_f32x4(a.v); }
inline batch<float> to_float(batch<std::int32_t> a) { return wasm_f32x4_convert_i32x4(a.v); }
inline batch<float> select(lanes_mask m, batch<float> a, batch<float> b) {
    return wasm_v128_bitselect(a.v, b.v, m.bits);
}
// a · 2^n, where 2^n is a normal float.
inline batch<float> ldexp(batch<float> a, batch<std::int32_t> n) {
    return wasm_f32x4_mul(a.v, wasm_i32x4_shl(wasm_i32x4_add(n.v, wasm_i32x4_splat(127)), 23));
}

inline batch<float> fma(batch<float> a, batch<float> b, batch<float> c) {
    return tbt::wasm::fma_f32x4(a.v, b.v, c.v);
}
inline batch<double> fma(batch<double> a, batch<double> b, batch<double> c) {
    return tbt::wasm::fma_f64x2(a.v, b.v, c.v);
}

}  // namespace xsimd

#endif
