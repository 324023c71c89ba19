// Weight matrices, packed for matmul: the columns of w are stored in panels as wide as the
// micro-kernel's tile, each panel k-major,
//
//     panel p:  w[0, p·P … p·P+P−1]  w[1, p·P …]  …  w[K−1, p·P …]        P = kernel::panel
//
// so that a panel is read from its first byte to its last, for any number of rows of x. The last
// panel is only as wide as needed, rounded up to whole registers and padded with zeros.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

#include "lib/core/tensor.hpp"
#include "lib/kernels/int4_matrix.hpp"
#include "lib/kernels/int8_matrix.hpp"
#include "lib/kernels/magnitudes.hpp"
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

// A weight matrix w of shape (K, N), packed for matmul.
class PackedMatrix {
public:
    PackedMatrix() = default;
    PackedMatrix(PackedMatrix&& other) noexcept;  // leaves `other` with shape (0, 0)
    PackedMatrix& operator=(PackedMatrix&& other) noexcept;
    // Packs w as `type`. 16-bit numbers of the same type are copied without conversion.
    explicit PackedMatrix(const StoredView& w, WeightType type = WeightType::f32, int threads = 1);

    // Packs several matrices with the same K, type and layout side by side, as one matrix.
    PackedMatrix(std::span<const StoredView> parts, WeightType type, int threads);

    // Packs codes of 8 or 4 bits that are already quantised.
    explicit PackedMatrix(const Int8Codes& w, int threads = 1);
    explicit PackedMatrix(const Int4Codes& w, int threads = 1);

    // Packs other values into the same memory. Call reserve() first, on one thread; it allocates
    // more memory if needed. Then every thread of a team calls pack() and does its part; the
    // threads must sync before the matrix is used. int8 and int4 are packed only by the
    // constructors.
    void reserve(std::int64_t k, std::int64_t n, WeightType type = WeightType::f32);
    void pack(const StoredView& w, const Worker& worker);

    std::int64_t k() const { return k_; }
    std::int64_t n() const { return n_; }
    WeightType type() const { return type_; }
    std::int64_t bytes() const;
    // True if no packed number was NaN or infinite; always true for int8 and int4.
    bool finite() const { return finite_; }
    const float* data() const { return data_.get(); }
    // Writes column n (K) as floats. In a packed embedding this is the row of a token. Not for int8
    // and int4.
    void column(std::int64_t n, float* to) const;
    // Computed only where fused multiply-adds are emulated (wasm/try_row.hpp); otherwise 0 and 0.
    const Magnitudes& magnitudes() const { return magnitudes_; }
    const Int8Matrix& int8() const { return *int8_; }  // of type int8 only
    const Int4Matrix& int4() const { return *int4_; }  // of type int4 only

private:
    void pack_parts(std::span<const StoredView> parts, const Worker& worker);

    std::int64_t k_ = 0, n_ = 0, capacity_ = 0;
    std::atomic<bool> finite_{true};
    WeightType type_ = WeightType::f32;
    Magnitudes magnitudes_;
    AlignedFloats data_;
    std::shared_ptr<const Int8Matrix> int8_;
    std::shared_ptr<const Int4Matrix> int4_;
};

// Writes row r of a matrix with contiguous rows (column_stride 1) as floats.
void widen_row(const StoredView& w, std::int64_t r, float* to);

}  // namespace tbt
