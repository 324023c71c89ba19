// Weights quantised to 8 bits, and their products with activations of 8 bits, with exact integer
// sums ("W8A8").
//
//   column n of w:  s_n = max_k |w[k, n]| / 127,   q_w = round(w · (1 / s_n))   in −127 … 127
//   row r of x:     s_r = max_k |x[r, k]| / 127,   q_x = round(x · (1 / s_r)),  ties to even
//   y[r, n] = float(Σ_k q_x · q_w) · (s_r · s_n)  (+ the old y)  (+ bias)
//
// Integers have the same sum in any order. So the bits of y do not depend on the instruction set,
// the number of rows or the number of threads. The sum fits into 32 bits for
// K <= 133,144 = ⌊2^31 / 127²⌋.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lib/core/tensor.hpp"
#include "lib/machine/threads.hpp"

namespace tbt {

struct MatrixView;
struct StoredView;
struct MatmulOptions;

// Quantises n numbers x[0], x[stride], … to the codes q (n) and returns their scale. It is 0 if all
// numbers are 0 or so small that 1 / scale is not finite. It is NaN if a number is not finite; then
// the products with this row are NaN, too.
float quantize_row(const float* x, std::int64_t n, std::int64_t stride, std::int8_t* q);

// A matrix of 8 bits in the layout of files (int8_file.hpp): w[k, n] = scales[n] · q[k, n].
struct Int8Codes {
    std::int64_t rows = 0, columns = 0;  // K, N
    std::span<const std::int8_t> q;      // (K, N), −127 … 127
    Tensor scales;                       // (N), finite, not negative
};

// A matrix w (K, N) in 8 bits, packed for int8_matmul() in panels of 32 columns. The codes of a
// panel are [k / 4][column][k % 4], padded with zeros. The constructors throw Error if K > max_rows
// or a weight is not finite.
class Int8Matrix {
public:
    static constexpr int panel = 32, group = 4;
    static constexpr std::int64_t max_rows = 133144;

    explicit Int8Matrix(const StoredView& w, int threads = 1);
    Int8Matrix(std::span<const StoredView> parts, int threads);  // several matrices side by side
    Int8Matrix(const Int8Codes& w, int threads);                 // already quantised

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

// y (M, N) = x (M, K) · w. Every thread of a team calls this, as matmul() in matmul.hpp.
void int8_matmul(const MatrixView& x, const Int8Matrix& w, float* y, std::int64_t y_stride,
                 const MatmulOptions& options, const Worker& worker);

}  // namespace tbt
