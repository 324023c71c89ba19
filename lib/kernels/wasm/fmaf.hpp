// std::fma of floats, linked in the place of the C library's (MODE=wasm): musl's rounds twice where
// it cannot change the rounding mode, which WebAssembly has no instruction for.
#pragma once

extern "C" float fmaf(float a, float b, float c);  // a · b + c, rounded once
