#include "lib/kernels/packed_matrix.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "lib/error.hpp"
#include "lib/index.hpp"
#include "lib/kernels/matmul_kernel.hpp"

namespace tbt {

namespace {

using kernel::batch;
using kernel::BF16;
using kernel::F16;
using kernel::panel;

// Rounds `width` floats, whole registers, to the type of the weights.
template <class Element>
void convert(const float* from, Element* to, int width) {
    for (int i = 0; i < width; i += batch)
        kernel::store(kernel::Batch::load_unaligned(from + i), to + i);
}

// Columns next to each other, as in a row-major w.
template <class Element>
void pack_rows(const MatrixView& w, std::int64_t first_column, int width, Element* to) {
    const float* from = w.data + first_column;
    for (std::int64_t k = 0; k < w.rows; ++k, to += width) {
        if (width == panel) convert(from + k * w.row_stride, to, panel);  // a constant: unrolled
        else convert(from + k * w.row_stride, to, width);
    }
}

// Columns far apart, as in a transposed view: sixteen k at a time, so that whole cache lines are
// read. `used` of the `width` columns exist, the others are zero.
template <class Element>
void pack_columns(const MatrixView& w, std::int64_t first_column, int used, int width,
                  Element* to) {
    constexpr int strip = 16;
    float block[strip][panel] = {};
    for (std::int64_t k = 0; k < w.rows; k += strip) {
        const int count = to_int(std::min<std::int64_t>(strip, w.rows - k));
        const float* from = w.data + k * w.row_stride + first_column * w.column_stride;
        for (int j = 0; j < used; ++j) {
            for (int i = 0; i < count; ++i)
                block[i][j] = from[i * w.row_stride + j * w.column_stride];
        }
        for (int i = 0; i < count; ++i, to += width) convert(block[i], to, width);
    }
}

template <class Element>
void pack_panels(const MatrixView& w, Range panels, float* memory) {
    for (std::int64_t p = panels.begin; p < panels.end; ++p) {
        auto* to = reinterpret_cast<Element*>(memory) + p * panel * w.rows;
        const int width = kernel::panel_vectors(p, w.columns) * batch;
        const int used = to_int(std::min<std::int64_t>(width, w.columns - p * panel));
        if (w.column_stride == 1 && used == width) pack_rows(w, p * panel, width, to);
        else pack_columns(w, p * panel, used, width, to);
    }
}

std::string shape_text(std::int64_t rows, std::int64_t columns) {
    return to_string(Shape{rows, columns});
}

}  // namespace

PackedMatrix::PackedMatrix(PackedMatrix&& other) noexcept { *this = std::move(other); }

PackedMatrix& PackedMatrix::operator=(PackedMatrix&& other) noexcept {
    k_ = std::exchange(other.k_, 0), n_ = std::exchange(other.n_, 0);
    capacity_ = std::exchange(other.capacity_, 0);
    type_ = std::exchange(other.type_, WeightType::f32);
    magnitudes_ = std::exchange(other.magnitudes_, {});
    data_ = std::move(other.data_);
    int8_ = std::exchange(other.int8_, nullptr);
    return *this;
}

PackedMatrix::PackedMatrix(const MatrixView& w, WeightType type) {
    if (type == WeightType::int8) {
        int8_ = std::make_shared<const Int8Matrix>(w);
        k_ = w.rows, n_ = w.columns, type_ = type;
        return;
    }
    reserve(w.rows, w.columns, type);
    pack(w, Worker{});
}

void PackedMatrix::reserve(std::int64_t k, std::int64_t n, WeightType type) {
    if (type == WeightType::int8) throw Error("matmul: weights of 8 bits are packed once");
    if (k < 0 || n < 0)
        throw Error("matmul: weights have shape " + shape_text(k, n) +
                    ", expected no negative dimension");
    element_count({k, n});  // throws if there are too many
    k_ = k;
    n_ = n;
    type_ = kernel::kept_as(type);
    const std::int64_t floats = kernel::divide_up(bytes(), 4);
    if (floats > capacity_ || !data_) {
        data_ = allocate_floats(floats);
        capacity_ = floats;
    }
}

std::int64_t PackedMatrix::bytes() const {
    if (int8_) return int8_->bytes();
    return kernel::divide_up(n_, batch) * batch * k_ * bytes_of(type_);
}

void PackedMatrix::pack(const MatrixView& w, const Worker& worker) {
    if (w.rows != k_ || w.columns != n_) {
        throw Error("matmul: weights to pack have shape " + shape_text(w.rows, w.columns) +
                    ", expected " + shape_text(k_, n_) + " as reserved");
    }
    const Range mine = worker.share(kernel::panel_count(n_));
    if (type_ == WeightType::f32) pack_panels<float>(w, mine, data_.get());
    if (type_ == WeightType::f16) pack_panels<F16>(w, mine, data_.get());
    if (type_ == WeightType::bf16) pack_panels<BF16>(w, mine, data_.get());
#if defined(__wasm_simd128__)
    magnitudes_ = magnitudes_of(data_.get(), 1, bytes() / 4);  // floats (kept_as), and one thread
#endif
}

}  // namespace tbt
