// Our own exp and tanh for sixteen lanes, with the same bits on every machine. Included by .cpp
// files of lib only. tests/lib/simd_math.cpp compares them with long double over the whole range:
// the largest errors are below 1.5 ulp for exp and below 3.5 ulp for tanh.
#pragma once

#include "lib/core/simd.hpp"

namespace tbt::simd {

namespace detail {

// x = n·ln 2 + r with |r| <= ln 2 / 2. Returns n and expm1(r) = e^r − 1.
struct Reduced {
    Batch n;
    Batch expm1_r;
};

inline Reduced reduce(const Batch& x) {
    const Batch n = xsimd::nearbyint(x * Batch(1.44269504088896341f));
    // ln 2 in two parts: the first has 15 bits, so n · 0x1.62e4p-1 is exact.
    Batch r = fma(n, Batch(-0x1.62e4p-1f), x);
    r = fma(n, Batch(-0x1.7f7d1cp-20f), r);
    // e^r = 1 + r + r²·P(r); P by Chebyshev interpolation on |r| <= 0.347,
    // relative error of e^r under 2e-10.
    Batch p = Batch(1.9891080464e-4f);
    p = fma(p, r, Batch(1.39337307158e-3f));
    p = fma(p, r, Batch(8.33331084465e-3f));
    p = fma(p, r, Batch(4.16664641974e-2f));
    p = fma(p, r, Batch(1.66666666817e-1f));
    p = fma(p, r, Batch(5.00000001354e-1f));
    return {n, fma(p * r, r, r)};
}

inline Batch power_of_two(const Batch& n) { return xsimd::ldexp(Batch(1.0f), xsimd::to_int(n)); }

}  // namespace detail

// e^x. It is infinite for x above 88.73 and zero for x below −87.33 (where e^x is below the
// smallest normal float). NaN stays NaN.
inline Batch exp(const Batch& x) {
    // The constant comes first: where x is NaN, min and max return their second operand on x86.
    const Batch clamped = xsimd::min(Batch(89.0f), xsimd::max(Batch(-88.0f), x));
    const auto [n, m] = detail::reduce(clamped);
    // 2^128 is too large for a float, but e^88.7 is not. So scale by at most 2^127 here, and by the
    // rest (1 or 2) at the end.
    const Batch scale = detail::power_of_two(xsimd::min(n, Batch(127.0f)));
    const Batch rest = xsimd::max(n, Batch(127.0f)) - Batch(126.0f);
    const Batch y = fma(scale, m, scale) * rest;
    return xsimd::select(x < Batch(-87.33654f), Batch(0.0f), y);
}

// tanh x = (e^2x − 1) / (e^2x + 1) = m / (m + 2) with m = expm1(2x) = 2^n·expm1(r) + (2^n − 1).
inline Batch tanh(const Batch& x) {
    // |x| > 10: tanh is ±1 in float. A NaN x passes through min and max as above.
    const Batch clamped = xsimd::min(Batch(10.0f), xsimd::max(Batch(-10.0f), x));
    const auto [n, m_r] = detail::reduce(clamped + clamped);
    const Batch scale = detail::power_of_two(n);
    const Batch m = fma(scale, m_r, scale - Batch(1.0f));
    return divide(m, m + Batch(2.0f));
}

inline Lanes exp(const Lanes& x) {
    Lanes r;
    for (int i = 0; i < batch_count; ++i) r.part[i] = exp(x.part[i]);
    return r;
}

inline Lanes tanh(const Lanes& x) {
    Lanes r;
    for (int i = 0; i < batch_count; ++i) r.part[i] = tanh(x.part[i]);
    return r;
}

}  // namespace tbt::simd
