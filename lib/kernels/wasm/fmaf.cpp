#include "lib/kernels/wasm/fmaf.hpp"

#include "lib/kernels/wasm/exact_fma.hpp"

extern "C" float fmaf(float a, float b, float c) { return tbt::wasm::fma(a, b, c); }
