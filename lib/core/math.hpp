// Our own exp, log, sin, cos and tanh. Those of C libraries differ in the last bit between systems,
// and that can change which token is sampled.
#pragma once

namespace tbt {

// e^x; under 2 ulp. Infinity above 709.78, zero below −745.13, NaN for NaN.
double portable_exp(double x);

// ln x; under 2 ulp. −infinity for 0, NaN for negative x and NaN.
double portable_log(double x);

// sin x and cos x, x in radians. The error is below 1e-15 for |x| <= 2^30; for larger |x| the
// result is NaN.
double portable_sin(double x);
double portable_cos(double x);

// e^x and tanh x in single precision, for one number. The bits are the same as those of the kernels
// with sixteen lanes (simd_math.hpp), so plain code can be compared with fast code.
float portable_expf(float x);
float portable_tanhf(float x);

}  // namespace tbt
