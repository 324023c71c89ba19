// The machine's limit, for comparison: fused multiply-adds on registers alone.
#pragma once

namespace tbt::train {

// Floating-point operations a second (2 a multiply-add) that all threads together reach;
// takes about `seconds`.
double fma_peak(int threads, double seconds = 0.1);

}  // namespace tbt::train
