// Weights in 8 bits, and products with exact integer sums ("W8A8").
//
//   column n of w:  s_n = max_k |w[k, n]| / 127,   q_w = round(w · (1 / s_n))   in −127 … 127
//   row r of x:     s_r = max_k |x[r, k]| / 127,   q_x = round(x · (1 / s_r)),  ties to even
//   y[r, n] = float(Σ_k q_x · q_w) · (s_r · s_n)  (+ what y held)  (+ bias)
//
// Integers have the same sum in any order, so the bits of y depend on no instruction set, no number
// of rows and no number of threads. The sum fits 32 bits for K <= 133,144 = ⌊2^31 / 127²⌋.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lib/kernels/tensor.hpp"
#include "lib/machine/threads.hpp"

namespace tbt {

struct MatrixView;
struct StoredView;
struct MatmulOptions;

// Rounds n numbers to q (n); returns their scale. A row of zeros, or so small that 1 / scale is no
// number, has scale 0; one with NaN or infinity has scale NaN, and so have the products with it.
float quantize_row(const float* x, std::int64_t n, std::int64_t stride, std::int8_t* q);

// A matrix in 8 bits as files hold it (int8_file.hpp), row by row: w[k, n] = scales[n] · q[k, n].
struct Int8Codes {
    std::int64_t rows = 0, columns = 0;  // K, N
    std::span<const std::int8_t> q;      // (K, N), −127 … 127
    Tensor scales;                       // (N), finite, not negative
};

// w (K, N), quantised by columns. Panels of 32 columns, in each the k by fours:
// [k / 4][column][k % 4], filled up with zeros. Errors: K is too large; a weight is not finite.
class Int8Matrix {
public:
    static constexpr int panel = 32, group = 4;
    static constexpr std::int64_t most_k = 133144;

    explicit Int8Matrix(const StoredView& w, int threads = 1);
    Int8Matrix(std::span<const StoredView> parts, int threads);  // side by side
    Int8Matrix(const Int8Codes& w, int threads);                 // as they are

    std::int64_t k() const { return k_; }
    std::int64_t n() const { return n_; }
    std::int64_t bytes() const;
    std::int64_t groups() const { return (k_ + group - 1) / group; }
    std::int64_t panels() const { return (n_ + panel - 1) / panel; }
    const std::int8_t* panel_data(std::int64_t p) const {
        return reinterpret_cast<const std::int8_t*>(data_.get()) + p * groups() * panel * group;
    }
    std::span<const float> scales() const { return scales_; }            // (panels · 32)
    std::span<const std::int32_t> column_sums() const { return sums_; }  // Σ_k q_w of each column

private:
    void reserve();
    template <class From>
    void pack_panel(std::span<const StoredView> parts, std::int64_t p, float* columns,
                    std::int8_t* q);

    std::int64_t k_ = 0, n_ = 0;
    AlignedFloats data_;
    std::vector<float> scales_;
    std::vector<std::int32_t> sums_;
};

// y (M, N) = x (M, K) · w, as matmul() in matmul.hpp: called by every thread of a team.
void int8_matmul(const MatrixView& x, const Int8Matrix& w, float* y, std::int64_t y_stride,
                 const MatmulOptions& options, const Worker& worker);

}  // namespace tbt
