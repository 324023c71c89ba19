// Products of matrices whose elements are rounded to bfloat16 and summed in float32. The matrix
// units of today's processors compute this eight to twenty times as fast as float32 products.
//
// The order of the sum is that of Intel's TDPBF16PS [Intel Architecture Instruction Set Extensions
// Programming Reference, "TDPBF16PS"]. So a machine without such a unit gets the same bits with
// fused multiply-adds. For each block of 32 values of k, in order:
//
//     even = Σ a[m, k] · b[k, n] over k = 0, 2, … 30     odd = the same over k = 1, 3, … 31
//     y[m, n] = y[m, n] + (even + odd)
//
// Each of the two sums starts at 0 and uses fused multiply-adds. Subnormal numbers count as 0
// everywhere.
#pragma once

#include <cstdint>

#include "lib/kernels/bf16_matrix.hpp"
#include "lib/kernels/matmul.hpp"

namespace tbt {

// y (M, N) = a · b, or y += a · b; then + bias. Rows of y are y_stride floats apart. Throws Error
// if the inner dimensions differ. It uses one thread.
void bf16_matmul(const Bf16Left& a, const Bf16Right& b, float* y, std::int64_t y_stride,
                 const MatmulOptions& options = {});

// The same without the processor's matrix unit, with fused multiply-adds on every machine.
void bf16_matmul_portable(const Bf16Left& a, const Bf16Right& b, float* y, std::int64_t y_stride,
                          const MatmulOptions& options = {});

// Does this machine have a matrix unit for bf16_matmul()?
bool has_matrix_unit();

}  // namespace tbt
