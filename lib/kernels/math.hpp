// exp, log, sin, cos and tanh of our own: the C library's differ between systems in the last bit,
// and a last bit can decide which token is drawn.
#pragma once

namespace tbt {

// e^x; under 2 ulp. Infinity above 709.78, zero below −745.13, NaN for NaN.
double portable_exp(double x);

// ln x; under 2 ulp. −infinity for 0, NaN for negative x and NaN.
double portable_log(double x);

// sin x and cos x, x in radians; under 1e-15 from the true value for |x| <= 2^30, NaN beyond that.
double portable_sin(double x);
double portable_cos(double x);

// e^x and tanh x in single precision, one number at a time: the same bits as the kernels' on
// sixteen lanes (simd_math.hpp), so that plain code can be held against fast code.
float portable_expf(float x);
float portable_tanhf(float x);

}  // namespace tbt
