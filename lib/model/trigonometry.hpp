// Our own sin and cos, with the same bits on every machine (as lib/core/math.hpp has exp and log).
#pragma once

namespace tbt {

// sin x and cos x, x in radians. The error is below 1e-15 for |x| <= 2^30; for larger |x| the
// result is NaN.
double portable_sin(double x);
double portable_cos(double x);

}  // namespace tbt
