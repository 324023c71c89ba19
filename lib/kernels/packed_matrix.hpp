// Weight matrices, packed for matmul: the columns of w are stored in panels as wide as the
// micro-kernel's tile, each panel k-major,
//
//     panel p:  w[0, p·P … p·P+P−1]  w[1, p·P …]  …  w[K−1, p·P …]        P = kernel::panel
//
// so that a panel is read from its first byte to its last, for any number of rows of x. The last
// panel is only as wide as needed, rounded up to whole registers and padded with zeros.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>

#include "lib/core/tensor.hpp"
#include "lib/kernels/weight_type.hpp"
#include "lib/machine/threads.hpp"

namespace tbt {

// A view of a (rows, columns) matrix in memory that somebody else owns. Element (r, c) is
// data[r · row_stride + c · column_stride].
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

// The same for numbers as stored in files: F32, F16 or BF16, aligned to their own size.
struct StoredView {
    const void* data = nullptr;
    WeightType type = WeightType::f32;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t row_stride = 0;
    std::int64_t column_stride = 1;

    StoredView(const void* numbers, WeightType kind, std::int64_t r, std::int64_t c)
        : data(numbers), type(kind), rows(r), columns(c), row_stride(c) {}
    StoredView(const MatrixView& w)
        : data(w.data),
          rows(w.rows),
          columns(w.columns),
          row_stride(w.row_stride),
          column_stride(w.column_stride) {}
    StoredView transposed() const {
        StoredView t = *this;
        t.rows = columns, t.columns = rows;
        t.row_stride = column_stride, t.column_stride = row_stride;
        return t;
    }
};

// The smallest |x| that is not 0, and the largest |x|. Both are 0 if all x are 0. NaN counts as
// larger than every number.
struct Magnitudes {
    float smallest = 0, largest = 0;
};

// The magnitudes of the n numbers x[0], x[step], …
inline Magnitudes magnitudes_of(const float* x, std::int64_t step, std::int64_t n) {
    // The bits of floats without a sign, as integers, have the order of the floats. For 0, bits − 1
    // wraps around to the largest integer, so a 0 is never the smallest.
    std::uint32_t smallest = ~std::uint32_t{0}, largest = 0;
    const auto take = [&](float value) {
        const std::uint32_t bits = std::bit_cast<std::uint32_t>(value) & 0x7fffffff;
        smallest = std::min(smallest, bits - 1), largest = std::max(largest, bits);
    };
    if (step == 1)  // a separate loop, which the compiler vectorises
        for (std::int64_t i = 0; i < n; ++i) take(x[i]);
    else
        for (std::int64_t i = 0; i < n; ++i) take(x[i * step]);
    return {std::bit_cast<float>(smallest + 1), std::bit_cast<float>(largest)};
}

struct MatmulOptions;

// A weight matrix w (K, N) of fewer bits (lib/quantized), which has a product of its own.
class QuantizedMatrix {
public:
    virtual ~QuantizedMatrix() = default;
    virtual WeightType type() const = 0;
    virtual std::int64_t k() const = 0;
    virtual std::int64_t n() const = 0;
    virtual std::int64_t bytes() const = 0;
    // Writes column n (K) as floats and returns true; false if the type has no such function.
    virtual bool column(std::int64_t /*n*/, float* /*to*/) const { return false; }
    // y (M, N) = x (M, K) · w. Every thread of a team calls this, as matmul() in matmul.hpp.
    virtual void multiply(const MatrixView& x, float* y, std::int64_t y_stride,
                          const MatmulOptions& options, const Worker& worker) const = 0;
};

// A weight matrix w of shape (K, N), packed for matmul.
class PackedMatrix {
public:
    PackedMatrix() = default;
    PackedMatrix(PackedMatrix&& other) noexcept;  // leaves `other` with shape (0, 0)
    PackedMatrix& operator=(PackedMatrix&& other) noexcept;
    // Packs w as `type`: f32, f16 or bf16. 16-bit numbers of the same type are copied without
    // conversion. pack_weights() (lib/quantized) packs the other types, too.
    explicit PackedMatrix(const StoredView& w, WeightType type = WeightType::f32, int threads = 1);

    // Packs several matrices with the same K, type and layout side by side, as one matrix.
    PackedMatrix(std::span<const StoredView> parts, WeightType type, int threads);

    explicit PackedMatrix(std::shared_ptr<const QuantizedMatrix> w);

    // Packs other values into the same memory. Call reserve() first, on one thread; it allocates
    // more memory if needed. Then every thread of a team calls pack() and does its part; the
    // threads must sync before the matrix is used. Not for quantised types.
    void reserve(std::int64_t k, std::int64_t n, WeightType type = WeightType::f32);
    void pack(const StoredView& w, const Worker& worker);

    std::int64_t k() const { return k_; }
    std::int64_t n() const { return n_; }
    WeightType type() const { return type_; }
    std::int64_t bytes() const;
    // True if no packed number was NaN or infinite; always true for quantised types.
    bool finite() const { return finite_; }
    const float* data() const { return data_.get(); }
    // Writes column n (K) as floats. In a packed embedding this is the row of a token. Of the
    // quantised types, for int8 only.
    void column(std::int64_t n, float* to) const;
    // Computed only where fused multiply-adds are emulated (wasm/try_row.hpp); otherwise 0 and 0.
    const Magnitudes& magnitudes() const { return magnitudes_; }
    const QuantizedMatrix* quantized() const { return quantized_.get(); }  // null for floats

private:
    void pack_parts(std::span<const StoredView> parts, const Worker& worker);

    std::int64_t k_ = 0, n_ = 0, capacity_ = 0;
    std::atomic<bool> finite_{true};
    WeightType type_ = WeightType::f32;
    Magnitudes magnitudes_;
    AlignedFloats data_;
    std::shared_ptr<const QuantizedMatrix> quantized_;
};

// Writes row r of a matrix with contiguous rows (column_stride 1) as floats.
void widen_row(const StoredView& w, std::int64_t r, float* to);

}  // namespace tbt
