#include "lib/kernels/packed_matrix.hpp"

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/kernels/matmul_kernel.hpp"
#include "lib/kernels/weight_columns.hpp"

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

// The maximum of the numbers' bits without the sign, as integers. NaN and infinity have an exponent
// of ones, so they are larger than all finite numbers.
template <class From>
class Largest {
public:
    void take(const From* numbers, std::int64_t n) {
        constexpr Bits no_sign = static_cast<Bits>(~Bits{0}) >> 1;
        const Bits* bits = reinterpret_cast<const Bits*>(numbers);
        for (std::int64_t i = 0; i < n; ++i)
            most_ = std::max(most_, static_cast<Bits>(bits[i] & no_sign));
    }
    // Are all of them finite as numbers of type To? (F16 rounds 65520 and more to infinity.)
    template <class To>
    bool finite() const {
        constexpr bool to_f16 = std::is_same_v<To, F16>, to_bf16 = std::is_same_v<To, BF16>;
        if constexpr (std::is_same_v<From, F16>) return most_ < 0x7c00;
        else if constexpr (std::is_same_v<From, BF16>) return most_ < (to_f16 ? 0x4780 : 0x7f80);
        else return most_ < (to_f16 ? 0x477ff000u : to_bf16 ? 0x7f7f8000u : 0x7f800000u);
    }
    using Bits = std::conditional_t<sizeof(From) == 4, std::uint32_t, std::uint16_t>;

private:
    Bits most_ = 0;
};

// Copies `width` numbers (whole registers), converting them to the type To.
template <class From, class To>
void convert(const From* from, To* to, int width) {
    if constexpr (std::is_same_v<From, To>) {
        std::copy_n(from, width, to);
    } else {
        for (int i = 0; i < width; i += batch) kernel::store(load_anywhere(from + i), to + i);
    }
}

// Packs columns that are next to each other in memory, as in a row-major w.
template <class From, class To>
void pack_rows(const StoredView& w, std::int64_t first_column, int width, To* to,
               Largest<From>& largest) {
    const From* from = static_cast<const From*>(w.data) + first_column;
    for (std::int64_t k = 0; k < w.rows; ++k, from += w.row_stride, to += width) {
        largest.take(from, width);
        if (width == panel) convert(from, to, panel);  // a constant width, so it is unrolled
        else convert(from, to, width);
    }
}

// The number of k in a cache line; so many are read at a time.
template <class From>
constexpr int strip = 64 / to_int(sizeof(From));

template <class From>
using Columns = kernel::WeightColumns<From, panel>;

// Packs columns that are far apart in memory, as in a transposed view. The first `used` of the
// `width` columns exist; the others become zero.
template <class From, class To>
void pack_columns(const Columns<From>& columns, Range ks, int used, int width, To* to,
                  Largest<From>& largest) {
    // Conversion from one 16-bit type to the other goes through float.
    using Between = std::conditional_t<std::is_same_v<From, To>, To, float>;
    Between block[strip<From>][panel] = {};
    for (std::int64_t k = ks.begin; k < ks.end; k += strip<From>) {
        const int count = to_int(std::min<std::int64_t>(strip<From>, ks.end - k));
        for (int j = 0; j < used; ++j) {
            const From* from = columns.at[j] + k * columns.step;
            for (int i = 0; i < count; ++i) {
                const From value = from[i * columns.step];
                largest.take(&value, 1);
                if constexpr (std::is_same_v<From, To>) block[i][j] = value;
                else block[i][j] = widened(value);
            }
        }
        for (int i = 0; i < count; ++i, to += width) convert(block[i], to, width);
    }
}

// Moves the elements with even positions to the front and those with odd positions after them. In
// the position of element (j, k) of a row-major block, the last bit of k becomes the first bit.
// Doing this once for each bit of k transposes the block.
template <int size, class Bits>
void even_then_odd(const Bits* from, Bits* to) {
    for (int i = 0; i < size / 2; ++i) {
        to[i] = from[2 * i];
        to[size / 2 + i] = from[2 * i + 1];
    }
}

// As pack_columns, for a whole panel of contiguous columns without conversion, where K is a
// multiple of a strip: it transposes vectors of k to vectors of columns.
template <class From>
void transpose_columns(const Columns<From>& columns, std::int64_t K, From* to,
                       Largest<From>& largest) {
    using Bits = typename Largest<From>::Bits;
    constexpr int length = strip<From>, size = panel * length;
    alignas(64) Bits a[size], b[size];
    for (std::int64_t k = 0; k < K; k += length, to += size) {
        for (int j = 0; j < panel; ++j) {
            const From* from = columns.at[j] + k;
            largest.take(from, length);
            const Bits* bits = reinterpret_cast<const Bits*>(from);
            for (int i = 0; i < length / 2; ++i) {
                a[j * length / 2 + i] = bits[2 * i];
                a[size / 2 + j * length / 2 + i] = bits[2 * i + 1];
            }
        }
        even_then_odd<size>(a, b);
        even_then_odd<size>(b, a);
        if constexpr (length == 32) {
            even_then_odd<size>(a, b);
            even_then_odd<size>(b, reinterpret_cast<Bits*>(to));
        } else {
            even_then_odd<size>(a, reinterpret_cast<Bits*>(to));
        }
    }
}

// Packs a range of panels. Returns true if all numbers were finite.
template <class From, class To>
bool pack_panels(std::span<const StoredView> parts, std::int64_t n, Range panels, float* memory) {
    const StoredView& w = parts[0];
    const std::int64_t K = w.rows;
    Largest<From> largest;
    for (std::int64_t p = panels.begin; p < panels.end; ++p) {
        To* to = reinterpret_cast<To*>(memory) + p * panel * K;
        const int width = kernel::panel_vectors(p, n) * batch;
        const int used = to_int(std::min<std::int64_t>(width, n - p * panel));
        if (parts.size() == 1 && w.column_stride == 1 && used == width) {
            pack_rows<From>(w, p * panel, width, to, largest);
            continue;
        }
        const Columns<From> columns = kernel::weight_columns<From, panel>(parts, p * panel, used);
        std::int64_t done = 0;
        if constexpr (std::is_same_v<From, To>) {
            if (columns.step == 1 && used == panel) {
                done = K / strip<From> * strip<From>;
                transpose_columns(columns, done, to, largest);
            }
        }
        pack_columns(columns, {done, K}, used, width, to + done * width, largest);
    }
    return largest.template finite<To>();
}

template <class From>
bool pack_as(WeightType type, std::span<const StoredView> parts, std::int64_t n, Range panels,
             float* memory) {
    if (type == WeightType::f16) return pack_panels<From, F16>(parts, n, panels, memory);
    if (type == WeightType::bf16) return pack_panels<From, BF16>(parts, n, panels, memory);
    return pack_panels<From, float>(parts, n, panels, memory);
}

// Converts a column of K numbers, `step` apart, to floats.
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
    finite_ = other.finite_.load();
    data_ = std::move(other.data_);
    quantized_ = std::exchange(other.quantized_, nullptr);
    return *this;
}

PackedMatrix::PackedMatrix(const StoredView& w, WeightType type, int threads)
    : PackedMatrix(std::span(&w, 1), type, threads) {}

PackedMatrix::PackedMatrix(std::span<const StoredView> parts, WeightType type, int threads) {
    const std::int64_t columns = kernel::columns_side_by_side(parts);
    reserve(parts[0].rows, columns, type);
    run_team(threads, [&](const Worker& worker) { pack_parts(parts, worker); });
}

PackedMatrix::PackedMatrix(std::shared_ptr<const QuantizedMatrix> w)
    : k_(w->k()), n_(w->n()), type_(w->type()), quantized_(std::move(w)) {}

void PackedMatrix::reserve(std::int64_t k, std::int64_t n, WeightType type) {
    if (type == WeightType::int8 || type == WeightType::int4 || type == WeightType::blocks)
        throw Error("matmul: quantised weights are not packed in place");
    if (k < 0 || n < 0)
        throw Error("matmul: weights have shape " + shape_text(k, n) +
                    ", expected no negative dimension");
    element_count({k, n});  // throws if there are too many
    k_ = k;
    n_ = n;
    type_ = kernel::storage_type(type);
    finite_ = true;
    quantized_ = nullptr;
    const std::int64_t floats = kernel::ceil_div(bytes(), 4);
    if (floats > capacity_ || !data_) {
        data_ = allocate_weights(floats);
        capacity_ = floats;
    }
}

std::int64_t PackedMatrix::bytes() const {
    if (quantized_) return quantized_->bytes();
    return kernel::ceil_div(n_, batch) * batch * k_ * bytes_of(type_);
}

void PackedMatrix::pack(const StoredView& w, const Worker& worker) {
    if (w.rows != k_ || w.columns != n_) {
        throw Error("matmul: weights to pack have shape " + shape_text(w.rows, w.columns) +
                    ", expected " + shape_text(k_, n_) + " as reserved");
    }
    pack_parts(std::span(&w, 1), worker);
}

void PackedMatrix::pack_parts(std::span<const StoredView> parts, const Worker& worker) {
    const Range mine = worker.share(kernel::panel_count(n_));
    const WeightType from = parts[0].type;
    const auto pack_from = from == WeightType::f16    ? pack_as<F16>
                           : from == WeightType::bf16 ? pack_as<BF16>
                                                      : pack_as<float>;
    if (!pack_from(type_, parts, n_, mine, data_.get())) finite_ = false;
#if defined(__wasm_simd128__)
    magnitudes_ = magnitudes_of(data_.get(), 1, bytes() / 4);  // stored as floats; one thread
#endif
}

void PackedMatrix::column(std::int64_t n, float* to) const {
    const bool inside = n >= 0 && n < n_;
    if (inside && quantized_ && quantized_->column(n, to)) return;
    if (!inside || !data_)
        throw Error("matmul: column " + std::to_string(n) + " of weights of shape " +
                    shape_text(k_, n_) + (data_ ? "" : " in 8 or 4 bits"));
    const std::int64_t p = n / panel, first = p * panel * k_ + n % panel,
                       step = kernel::panel_vectors(p, n_) * batch;
    if (type_ == WeightType::f32) widen_column<float>(data_.get(), first, step, k_, to);
    if (type_ == WeightType::f16) widen_column<F16>(data_.get(), first, step, k_, to);
    if (type_ == WeightType::bf16) widen_column<BF16>(data_.get(), first, step, k_, to);
}

void widen_row(const StoredView& w, std::int64_t r, float* to) {
    if (r < 0 || r >= w.rows || w.column_stride != 1)
        throw Error("matmul: row " + std::to_string(r) + " of weights of shape " +
                    shape_text(w.rows, w.columns) + ", expected a contiguous row of it");
    const auto widen = [&]<class Element>(Element) {
        const Element* from = static_cast<const Element*>(w.data) + r * w.row_stride;
        for (std::int64_t c = 0; c < w.columns; ++c) to[c] = widened(from[c]);
    };
    if (w.type == WeightType::f16) widen(F16{});
    else if (w.type == WeightType::bf16) widen(BF16{});
    else widen(0.0f);
}

}  // namespace tbt
