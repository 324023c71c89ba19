// y = x · w (+ bias): the one operation that a GPT spends its time in.
//
// Weights are packed once into panels (see matmul.cpp);
// every element of y is then summed over the inner dimension K in order k = 0, 1, 2,
// … by fused multiply-adds, starting from 0 (or from what y holds), and the bias is added last.
// That order never depends on the number of rows M, on the number of threads or on the SIMD width,
// so neither do the bits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lib/kernels/tensor.hpp"
#include "lib/machine/threads.hpp"

namespace tbt {

// How weights are kept in memory. F16 and BF16 are widened to float in registers:
// half the bytes to read.
enum class WeightType { f32, f16, bf16 };

// A (rows × columns) matrix inside other memory: element (r, c) is data[r · row_stride +
// c · column_stride].
struct MatrixView {
    const float* data = nullptr;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t row_stride = 0;
    std::int64_t column_stride = 1;

    static MatrixView of(const float* data, std::int64_t rows, std::int64_t columns) {
        return {data, rows, columns, columns, 1};
    }
    MatrixView transposed() const { return {data, columns, rows, column_stride, row_stride}; }
};

// A weight matrix w of shape (K, N), packed for matmul.
class PackedMatrix {
public:
    PackedMatrix() = default;
    explicit PackedMatrix(const MatrixView& w, WeightType type = WeightType::f32);

    // Packs other values into the same memory (grows when needed);
    // each thread of the team packs its share. reserve() first, on one thread;
    // the caller syncs before the result is used.
    void reserve(std::int64_t k, std::int64_t n, WeightType type = WeightType::f32);
    void pack(const MatrixView& w, const Worker& worker);

    std::int64_t k() const { return k_; }
    std::int64_t n() const { return n_; }
    WeightType type() const { return type_; }
    std::int64_t bytes() const;
    const float* data() const { return data_.get(); }

private:
    std::int64_t k_ = 0, n_ = 0, capacity_ = 0;
    WeightType type_ = WeightType::f32;
    AlignedFloats data_;
};

struct MatmulOptions {
    const float* bias = nullptr;  // (N), added to every row at the end
    bool accumulate = false;      // y += x · w instead of y = x · w
    void (*activation)(float* y,
                       std::int64_t n) = nullptr;  // applied to each element once it is complete
};

// y (M, N) = x (M, K) · w (K, N). x may be strided either way; rows of y are y_stride apart.
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
