// The matrix product y = x · w (+ bias), on which a GPT spends most of its time.
//
// Weights are packed once into panels (packed_matrix.hpp). Every element of y is a sum over the
// inner dimension K in the order k = 0, 1, 2, … with fused multiply-adds. It starts at 0 (or at the
// old value of y), and the bias is added last. This order does not depend on the number of rows M,
// the number of threads or the SIMD width, so neither do the bits of y.
#pragma once

#include <cstdint>

#include "lib/core/tensor.hpp"
#include "lib/kernels/packed_matrix.hpp"
#include "lib/machine/threads.hpp"

namespace tbt {

struct MatmulOptions {
    const float* bias = nullptr;  // (N), added to every row at the end
    bool accumulate = false;      // y += x · w instead of y = x · w
    // Applied in place to n neighbouring elements of y after the bias; null: none.
    void (*activation)(float* y, std::int64_t n) = nullptr;
};

// y (M, N) = x (M, K) · w (K, N). x may have any row and column stride; rows of y are y_stride
// floats apart. Every thread of a team calls this, and each computes a part of y. The threads must
// sync before y is read.
void matmul(const MatrixView& x, const PackedMatrix& w, float* y, std::int64_t y_stride,
            const MatmulOptions& options, const Worker& worker);

// The same for whole tensors, x (M, K) and y (M, N), called once: it starts `threads` threads
// itself. Throws Error if the shapes do not match.
void matmul(const Tensor& x, const PackedMatrix& w, Tensor& y, const MatmulOptions& options = {},
            int threads = 1);

// The definition as three plain loops, on one thread. Every kernel must give the same bits.
void matmul_plain(const MatrixView& x, const MatrixView& w, float* y, std::int64_t y_stride,
                  const MatmulOptions& options = {});

}  // namespace tbt
