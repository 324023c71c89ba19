// Packing: the columns of w in panels as wide as the micro-kernel's tile, each panel k-major,
//
//     panel p:  w[0, p·P … p·P+P−1]  w[1, p·P …]  …  w[K−1, p·P …]        P = kernel::panel
//
// so that a panel is read from its first byte to its last, however many rows x has. The last panel is only as wide
// as it must be, rounded up to one register and filled with zeros.
#include <algorithm>
#include <cstring>
#include <string>

#include "error.hpp"
#include "matmul.hpp"
#include "matmul_kernel.hpp"

namespace tbt {

namespace {

using kernel::batch;
using kernel::BF16;
using kernel::F16;
using kernel::panel;

void convert(const float* from, float* to, int n) { std::memcpy(to, from, static_cast<std::size_t>(n) * sizeof(float)); }
void convert(const float* from, F16* to, int n) {
    for (int i = 0; i < n; ++i) to[i].bits = to_f16(from[i]);
}
void convert(const float* from, BF16* to, int n) {
    for (int i = 0; i < n; ++i) to[i].bits = to_bf16(from[i]);
}

// Panel p of w, the rows [k_begin, k_end).
template <class Element>
void pack_panel(const MatrixView& w, std::int64_t p, std::int64_t k_begin, std::int64_t k_end, Element* to) {
    constexpr int strip = 16;
    const int width = kernel::panel_vectors(p, w.columns) * batch, used = static_cast<int>(std::min<std::int64_t>(width, w.columns - p * panel));
    const float* from = w.data + p * panel * w.column_stride;
    to += k_begin * width;
    if (w.column_stride == 1 && used == width) {
        for (std::int64_t k = k_begin; k < k_end; ++k, to += width) convert(from + k * w.row_stride, to, width);
        return;
    }
    // Columns far apart (w is a transposed view): a strip of k at a time, so that whole cache lines are read.
    float block[strip][panel] = {};
    for (std::int64_t k = k_begin; k < k_end; k += strip) {
        const int count = static_cast<int>(std::min<std::int64_t>(strip, k_end - k));
        for (int j = 0; j < used; ++j) {
            const float* column = from + k * w.row_stride + j * w.column_stride;
            for (int i = 0; i < count; ++i) block[i][j] = column[i * w.row_stride];
        }
        for (int i = 0; i < count; ++i, to += width) convert(block[i], to, width);
    }
}

template <class Element>
void pack_panels(const MatrixView& w, Range panels, Element* to) {
    for (std::int64_t p = panels.begin; p < panels.end; ++p) pack_panel(w, p, 0, w.rows, to + p * panel * w.rows);
}

std::string shape_text(std::int64_t rows, std::int64_t columns) { return to_string(Shape{rows, columns}); }

}  // namespace

PackedMatrix::PackedMatrix(const MatrixView& w, WeightType type) {
    reserve(w.rows, w.columns, type);
    pack(w, Worker{});
}

void PackedMatrix::reserve(std::int64_t k, std::int64_t n, WeightType type) {
    if (k < 0 || n < 0) throw Error("matmul: weights have shape " + shape_text(k, n) + ", expected no negative dimension");
    element_count({k, n});  // throws if there are too many
    k_ = k;
    n_ = n;
    type_ = type;
    const std::int64_t floats = kernel::divide_up(bytes(), 4);
    if (floats > capacity_ || !data_) {
        data_ = allocate_floats(floats);
        capacity_ = floats;
    }
}

std::int64_t PackedMatrix::bytes() const {
    return kernel::divide_up(n_, batch) * batch * k_ * (type_ == WeightType::f32 ? 4 : 2);
}

void PackedMatrix::pack(const MatrixView& w, const Worker& worker) {
    if (w.rows != k_ || w.columns != n_) {
        throw Error("matmul: weights to pack have shape " + shape_text(w.rows, w.columns) + ", expected " +
                    shape_text(k_, n_) + " as reserved");
    }
    const Range mine = worker.share(kernel::panel_count(n_));
    if (type_ == WeightType::f32) pack_panels(w, mine, data_.get());
    if (type_ == WeightType::f16) pack_panels(w, mine, reinterpret_cast<F16*>(data_.get()));
    if (type_ == WeightType::bf16) pack_panels(w, mine, reinterpret_cast<BF16*>(data_.get()));
}

}  // namespace tbt
