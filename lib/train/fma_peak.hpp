// Measures the machine's limit, to compare the speed of training with: fused multiply-adds on
// registers, without memory.
#pragma once

namespace tbt::train {

// The floating-point operations per second (2 for each multiply-add) of all threads together. The
// measurement takes about `seconds` seconds.
double fma_peak(int threads, double seconds = 0.1);

}  // namespace tbt::train
