// Fused multiply-add, a · b + c rounded once, for processors without such an instruction
// (WebAssembly).
//
// For floats: their product is exact in double. The sum is then rounded twice, to double and to
// float. That gives a wrong result in two cases only: if the double is exactly between two floats,
// or if the float is subnormal, so that it has fewer bits. In these cases it is computed again,
// with the sum rounded to odd. Of the two doubles next to the exact sum that is the one whose last
// bit is 1; so the second rounding never sees a false tie [Boldo & Melquiond 2008]. For doubles:
// the rounding error of the product is a double as well [Dekker 1971]. The three parts are added,
// with the sum of the two smaller ones rounded to odd.
#pragma once

#include <bit>
#include <cstdint>

#ifdef __wasm_simd128__
#include <wasm_simd128.h>
#endif

namespace tbt::wasm {

// x + y, and the error of its rounding [Knuth 1969, §4.2.2].
struct Sum {
    double value, error;
};
inline Sum two_sum(double x, double y) {
    const double s = x + y, back = s - x;
    return {s, (x - (s - back)) + (y - back)};
}

// x + y rounded to odd: unchanged if it is a double, otherwise the neighbour whose last bit is 1.
inline double add_to_odd(double x, double y) {
    const auto [s, error] = two_sum(x, y);
    const auto bits = std::bit_cast<std::uint64_t>(s);
    if (!(error < 0 || error > 0) || bits & 1) return s;  // exact, odd, or not finite
    // The last bit of s is 0, so both its neighbours are odd. Take the one on the side of the exact
    // sum.
    return std::bit_cast<double>((error > 0) == (s > 0) ? bits + 1 : bits - 1);
}

inline float fma(float a, float b, float c) {
    return static_cast<float>(
        add_to_odd(static_cast<double>(a) * static_cast<double>(b), static_cast<double>(c)));
}

// The two halves of x: 26 bits each, so that products of halves are exact [Veltkamp 1968].
struct Halves {
    double high, low;
};
inline Halves halves_of(double x) {
    const double t = x * 0x8000001p0, high = t - (t - x);
    return {high, x - high};
}

// Exact if nothing overflows and no part of the product is below the smallest double; see usual().
inline double usual_fma(double a, double b, double c) {
    const Halves x = halves_of(a), y = halves_of(b);
    const double product = a * b;
    const double error =
        ((x.high * y.high - product) + x.high * y.low + x.low * y.high) + x.low * y.low;
    const Sum small = two_sum(c, error), large = two_sum(product, small.value);
    return large.value + add_to_odd(large.error, small.error);
}
// True for exponents with which usual_fma() is exact: every part of the product is above 2^-1022.
inline bool usual(double a, double b, double c) {
    const auto within = [](double x, int low, int high) {
        const int e = static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52 & 0x7ff) - 1023;
        return e >= low && e <= high;
    };
    return within(a, -400, 400) && within(b, -400, 400) && (c == 0 || within(c, -800, 900));
}

#ifdef __wasm_simd128__
inline v128_t low_half(v128_t x) { return wasm_f64x2_promote_low_f32x4(x); }
inline v128_t high_half(v128_t x) {
    return wasm_f64x2_promote_low_f32x4(wasm_i64x2_shuffle(x, x, 1, 1));
}
inline v128_t to_floats(v128_t low, v128_t high) {
    return wasm_i64x2_shuffle(wasm_f32x4_demote_f64x2_zero(low), wasm_f32x4_demote_f64x2_zero(high),
                              0, 2);
}
// The first kind of sums that may be rounded wrongly: ties between two floats, whose low 29 bits
// are 2^28.
inline v128_t ties(v128_t low, v128_t high) {
    const v128_t low_bits = wasm_i32x4_shuffle(low, high, 0, 2, 4, 6);
    return wasm_i32x4_eq(wasm_i32x4_shl(low_bits, 3),
                         wasm_i32x4_splat(std::bit_cast<std::int32_t>(0x80000000)));
}
// The second kind: subnormal floats. A result of 0 is right: c is a multiple of 2^-149, so the sum
// is below 2^-150 only if product and c cancel, or if c is 0.
inline v128_t too_small(v128_t rounded) {
    const v128_t bits = wasm_v128_and(rounded, wasm_i32x4_splat(0x7fffffff));
    return wasm_u32x4_lt(wasm_i32x4_sub(bits, wasm_i32x4_splat(1)), wasm_i32x4_splat(0x00800000));
}

// A separate function, so that fma_f32x4() is short enough to be inlined.
[[gnu::noinline]] inline v128_t fma_one_by_one(v128_t a, v128_t b, v128_t c) {
    return wasm_f32x4_make(fma(wasm_f32x4_extract_lane(a, 0), wasm_f32x4_extract_lane(b, 0),
                               wasm_f32x4_extract_lane(c, 0)),
                           fma(wasm_f32x4_extract_lane(a, 1), wasm_f32x4_extract_lane(b, 1),
                               wasm_f32x4_extract_lane(c, 1)),
                           fma(wasm_f32x4_extract_lane(a, 2), wasm_f32x4_extract_lane(b, 2),
                               wasm_f32x4_extract_lane(c, 2)),
                           fma(wasm_f32x4_extract_lane(a, 3), wasm_f32x4_extract_lane(b, 3),
                               wasm_f32x4_extract_lane(c, 3)));
}
[[gnu::always_inline]] inline v128_t fma_f32x4(v128_t a, v128_t b, v128_t c) {
    const v128_t low = wasm_f64x2_add(wasm_f64x2_mul(low_half(a), low_half(b)), low_half(c)),
                 high = wasm_f64x2_add(wasm_f64x2_mul(high_half(a), high_half(b)), high_half(c));
    const v128_t rounded = to_floats(low, high);
    const v128_t doubtful = wasm_v128_or(ties(low, high), too_small(rounded));
    if (__builtin_expect(wasm_v128_any_true(doubtful), 0)) return fma_one_by_one(a, b, c);
    return rounded;
}

struct Sums {
    v128_t value, error;
};
inline Sums two_sums(v128_t x, v128_t y) {
    const v128_t s = wasm_f64x2_add(x, y), back = wasm_f64x2_sub(s, x);
    return {s, wasm_f64x2_add(wasm_f64x2_sub(x, wasm_f64x2_sub(s, back)), wasm_f64x2_sub(y, back))};
}
inline v128_t add_to_odd(v128_t x, v128_t y) {
    const v128_t zero = wasm_f64x2_splat(0.0), one = wasm_i64x2_splat(1);
    const auto [s, error] = two_sums(x, y);
    const v128_t even = wasm_i64x2_eq(wasm_v128_and(s, one), wasm_i64x2_splat(0));
    const v128_t towards_zero =
        wasm_v128_xor(wasm_f64x2_gt(error, zero), wasm_f64x2_gt(s, zero));  // all ones: −1
    const v128_t step = wasm_v128_or(towards_zero, one);
    return wasm_i64x2_add(s, wasm_v128_and(step, wasm_v128_and(even, wasm_f64x2_ne(error, zero))));
}

[[gnu::noinline]] inline v128_t fma_one_by_one_f64x2(v128_t a, v128_t b, v128_t c) {
    return wasm_f64x2_make(
        __builtin_fma(wasm_f64x2_extract_lane(a, 0), wasm_f64x2_extract_lane(b, 0),
                      wasm_f64x2_extract_lane(c, 0)),
        __builtin_fma(wasm_f64x2_extract_lane(a, 1), wasm_f64x2_extract_lane(b, 1),
                      wasm_f64x2_extract_lane(c, 1)));
}

// The steps of usual_fma() on two lanes, but without rounding to odd: the two smaller parts are
// added and rounded to the nearest. That is wrong only if the rounded sum puts the result exactly
// between two doubles. In this case, and for unusual exponents, the lanes are computed one by one.
[[gnu::always_inline]] inline v128_t fma_f64x2(v128_t a, v128_t b, v128_t c) {
    const auto high_of = [](v128_t x) __attribute__((always_inline)) {
        const v128_t t = wasm_f64x2_mul(x, wasm_f64x2_splat(0x8000001p0));
        return wasm_f64x2_sub(t, wasm_f64x2_sub(t, x));
    };
    const v128_t a_high = high_of(a), a_low = wasm_f64x2_sub(a, a_high), b_high = high_of(b),
                 b_low = wasm_f64x2_sub(b, b_high), product = wasm_f64x2_mul(a, b);
    v128_t error = wasm_f64x2_sub(wasm_f64x2_mul(a_high, b_high), product);
    error = wasm_f64x2_add(error, wasm_f64x2_mul(a_high, b_low));
    error = wasm_f64x2_add(error, wasm_f64x2_mul(a_low, b_high));
    error = wasm_f64x2_add(error, wasm_f64x2_mul(a_low, b_low));
    const Sums large = two_sums(product, c);
    const v128_t small = wasm_f64x2_add(large.error, error);
    const v128_t sum = wasm_f64x2_add(large.value, small);
    // The error of the last sum. Adding a little more than this changes the sum only if the error
    // is half of the distance to the next double.
    const v128_t lost = wasm_f64x2_sub(small, wasm_f64x2_sub(sum, large.value));
    const v128_t more = wasm_f64x2_mul(lost, wasm_f64x2_splat(1 + 0x1p-40));
    const v128_t between = wasm_f64x2_ne(wasm_f64x2_add(sum, more), sum);
    // Every part of the product is a multiple of 2^-1074 if the product is at least 2^-900 or one
    // factor is 0. If a factor is too large for halves, the sum is NaN, so `between` is true.
    const v128_t zero = wasm_f64x2_splat(0.0);
    const v128_t low =
        wasm_v128_andnot(wasm_f64x2_lt(wasm_f64x2_abs(product), wasm_f64x2_splat(0x1p-900)),
                         wasm_v128_or(wasm_f64x2_eq(a, zero), wasm_f64x2_eq(b, zero)));
    if (__builtin_expect(wasm_v128_any_true(wasm_v128_or(between, low)), 0))
        return fma_one_by_one_f64x2(a, b, c);
    return sum;
}
#endif

}  // namespace tbt::wasm
