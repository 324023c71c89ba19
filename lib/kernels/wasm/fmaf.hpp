// std::fma of floats, linked instead of the C library's (MODE=wasm). musl's version needs to change
// the rounding mode, for which WebAssembly has no instruction, so it would round twice.
#pragma once

extern "C" float fmaf(float a, float b, float c);  // a · b + c, rounded once
