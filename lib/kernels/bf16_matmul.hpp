// Products of matrices that are rounded to bfloat16 and summed in float32: what the matrix units of
// today's processors compute, eight to twenty times as fast as float32 on the same chip.
//
// The order of the sum is that of Intel's TDPBF16PS [Intel Architecture Instruction Set Extensions
// Programming Reference, "TDPBF16PS"], so that a machine without such a unit gives the same bits
// with fused multiply-adds. For each block of 32 k, one after the other:
//
//     even = Σ a[m, k] · b[k, n] over k = 0, 2, … 30     odd = the same over k = 1, 3, … 31
//     y[m, n] = y[m, n] + (even + odd)
//
// each sum by fused multiply-adds from 0 on, and subnormal numbers count as 0 everywhere.
#pragma once

#include <cstdint>

#include "lib/kernels/bf16_matrix.hpp"
#include "lib/kernels/matmul.hpp"

namespace tbt {

// y (M, N) = a · b, or y += a · b; then + bias. Rows of y are y_stride apart. Throws Error when the
// inner dimensions differ. One thread.
void bf16_matmul(const Bf16Left& a, const Bf16Right& b, float* y, std::int64_t y_stride,
                 const MatmulOptions& options = {});

// The same without the processor's matrix unit: fused multiply-adds on every machine.
void bf16_matmul_portable(const Bf16Left& a, const Bf16Right& b, float* y, std::int64_t y_stride,
                          const MatmulOptions& options = {});

// Whether bf16_matmul() runs on a matrix unit here.
bool has_matrix_unit();

}  // namespace tbt
