// y = x · w (+ bias): the one operation that a GPT spends its time in.
//
// Weights are packed once into panels (packed_matrix.hpp). Every element of y is then summed over
// the inner dimension K in the order k = 0, 1, 2, … by fused multiply-adds, starting from 0
// (or from what y holds); the bias is added last. That order never depends on the number of rows M,
// on the number of threads or on the SIMD width, so neither do the bits.
#pragma once

#include <cstdint>

#include "lib/kernels/packed_matrix.hpp"
#include "lib/kernels/tensor.hpp"
#include "lib/machine/threads.hpp"

namespace tbt {

struct MatmulOptions {
    const float* bias = nullptr;  // (N), added to every row at the end
    bool accumulate = false;      // y += x · w instead of y = x · w
    // Applied to each element once it is complete.
    void (*activation)(float* y, std::int64_t n) = nullptr;
};

// y (M, N) = x (M, K) · w (K, N). x may have any row and column stride;
// rows of y are y_stride apart.
// Called by every thread of a team; each computes its own columns of y.
// The caller syncs before y is read.
void matmul(const MatrixView& x, const PackedMatrix& w, float* y, std::int64_t y_stride,
            const MatmulOptions& options, const Worker& worker);

// The same for one caller with whole tensors, shapes checked: x (M, K), y (M, N).
void matmul(const Tensor& x, const PackedMatrix& w, Tensor& y, const MatmulOptions& options = {},
            int threads = 1);

// The definition, three loops and nothing else: what every kernel must agree with, bit for bit.
void matmul_plain(const MatrixView& x, const MatrixView& w, float* y, std::int64_t y_stride,
                  const MatmulOptions& options = {});

}  // namespace tbt
