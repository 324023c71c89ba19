#include "lib/kernels/packed_matrix.hpp"

#include <algorithm>
#include <string>
#include <type_traits>
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
using simd::widened;

kernel::Batch load_anywhere(const float* p) { return kernel::Batch::load_unaligned(p); }
template <class Half>
kernel::Batch load_anywhere(const Half* p) {
    return kernel::load(p);
}

// `width` numbers, whole registers, as they are or rounded to the type of the weights.
template <class From, class To>
void convert(const From* from, To* to, int width) {
    if constexpr (std::is_same_v<From, To>) {
        std::copy_n(from, width, to);
    } else {
        for (int i = 0; i < width; i += batch) kernel::store(load_anywhere(from + i), to + i);
    }
}

// Columns next to each other, as in a row-major w.
template <class From, class To>
void pack_rows(const StoredView& w, std::int64_t first_column, int width, To* to) {
    const From* from = static_cast<const From*>(w.data) + first_column;
    for (std::int64_t k = 0; k < w.rows; ++k, to += width) {
        if (width == panel) convert(from + k * w.row_stride, to, panel);  // a constant: unrolled
        else convert(from + k * w.row_stride, to, width);
    }
}

// Columns far apart, as in a transposed view: a cache line of k at a time, so that whole lines are
// read. `used` of the `width` columns exist, the others are zero.
template <class From, class To>
void pack_columns(const StoredView& w, std::int64_t first_column, int used, int width, To* to) {
    // Between two kinds of 16 bits lie floats.
    using Between = std::conditional_t<std::is_same_v<From, To>, To, float>;
    constexpr int strip = 64 / to_int(sizeof(From));
    Between block[strip][panel] = {};
    for (std::int64_t k = 0; k < w.rows; k += strip) {
        const int count = to_int(std::min<std::int64_t>(strip, w.rows - k));
        const From* from =
            static_cast<const From*>(w.data) + k * w.row_stride + first_column * w.column_stride;
        for (int j = 0; j < used; ++j) {
            for (int i = 0; i < count; ++i) {
                const From value = from[i * w.row_stride + j * w.column_stride];
                if constexpr (std::is_same_v<From, To>) block[i][j] = value;
                else block[i][j] = widened(value);
            }
        }
        for (int i = 0; i < count; ++i, to += width) convert(block[i], to, width);
    }
}

template <class From, class To>
void pack_panels(const StoredView& w, Range panels, float* memory) {
    for (std::int64_t p = panels.begin; p < panels.end; ++p) {
        To* to = reinterpret_cast<To*>(memory) + p * panel * w.rows;
        const int width = kernel::panel_vectors(p, w.columns) * batch;
        const int used = to_int(std::min<std::int64_t>(width, w.columns - p * panel));
        if (w.column_stride == 1 && used == width) pack_rows<From>(w, p * panel, width, to);
        else pack_columns<From>(w, p * panel, used, width, to);
    }
}

template <class From>
void pack_as(WeightType type, const StoredView& w, Range panels, float* memory) {
    if (type == WeightType::f32) pack_panels<From, float>(w, panels, memory);
    if (type == WeightType::f16) pack_panels<From, F16>(w, panels, memory);
    if (type == WeightType::bf16) pack_panels<From, BF16>(w, panels, memory);
}

// K numbers, `step` apart.
template <class Element>
void widen_column(const float* memory, std::int64_t first, std::int64_t step, std::int64_t count,
                  float* to) {
    const Element* from = reinterpret_cast<const Element*>(memory) + first;
    for (std::int64_t k = 0; k < count; ++k) to[k] = widened(from[k * step]);
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
    int4_ = std::exchange(other.int4_, nullptr);
    return *this;
}

PackedMatrix::PackedMatrix(const StoredView& w, WeightType type, int threads) {
    if (type == WeightType::int8 || type == WeightType::int4) {
        if (type == WeightType::int8) int8_ = std::make_shared<const Int8Matrix>(w, threads);
        else int4_ = std::make_shared<const Int4Matrix>(w, threads);
        k_ = w.rows, n_ = w.columns, type_ = type;
        return;
    }
    reserve(w.rows, w.columns, type);
    run_team(threads, [&](const Worker& worker) { pack(w, worker); });
}

PackedMatrix::PackedMatrix(const Int4Codes& w)
    : k_(w.rows),
      n_(w.columns),
      type_(WeightType::int4),
      int4_(std::make_shared<const Int4Matrix>(w)) {}

void PackedMatrix::reserve(std::int64_t k, std::int64_t n, WeightType type) {
    if (type == WeightType::int8 || type == WeightType::int4)
        throw Error("matmul: weights of 8 and 4 bits are packed once");
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
    if (int4_) return int4_->bytes();
    return kernel::divide_up(n_, batch) * batch * k_ * bytes_of(type_);
}

void PackedMatrix::pack(const StoredView& w, const Worker& worker) {
    if (w.rows != k_ || w.columns != n_) {
        throw Error("matmul: weights to pack have shape " + shape_text(w.rows, w.columns) +
                    ", expected " + shape_text(k_, n_) + " as reserved");
    }
    const Range mine = worker.share(kernel::panel_count(n_));
    if (w.type == WeightType::f32) pack_as<float>(type_, w, mine, data_.get());
    if (w.type == WeightType::f16) pack_as<F16>(type_, w, mine, data_.get());
    if (w.type == WeightType::bf16) pack_as<BF16>(type_, w, mine, data_.get());
#if defined(__wasm_simd128__)
    magnitudes_ = magnitudes_of(data_.get(), 1, bytes() / 4);  // floats (kept_as), and one thread
#endif
}

void PackedMatrix::column(std::int64_t n, float* to) const {
    if (n < 0 || n >= n_ || !data_)
        throw Error("matmul: column " + std::to_string(n) + " of weights of shape " +
                    shape_text(k_, n_) + (data_ ? "" : " in 8 or 4 bits"));
    const std::int64_t p = n / panel, first = p * panel * k_ + n % panel,
                       step = kernel::panel_vectors(p, n_) * batch;
    if (type_ == WeightType::f32) widen_column<float>(data_.get(), first, step, k_, to);
    if (type_ == WeightType::f16) widen_column<F16>(data_.get(), first, step, k_, to);
    if (type_ == WeightType::bf16) widen_column<BF16>(data_.get(), first, step, k_, to);
}

}  // namespace tbt
