#include "lib/kernels/int8_matrix.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/kernels/int8_kernel.hpp"
#include "lib/kernels/integer_product.hpp"
#include "lib/kernels/weight_columns.hpp"

namespace tbt {

namespace {

using kernel::Int8Sums;

constexpr int panel = Int8Matrix::panel, group = Int8Matrix::group;
constexpr int vectors = panel / Int8Sums::columns;  // registers side by side in a panel

// Multiplies `Rows` rows of x (`x_row` bytes apart) by `Panels` panels of w and writes the results
// to sums[row][panel · 32 + column].
template <int Rows, int Panels>
void multiply(const std::int8_t* x, std::int64_t x_row, const std::int8_t* w, std::int64_t groups,
              std::int32_t* sums) {
    const std::int64_t w_panel = groups * panel * group;
    constexpr int all = Panels * vectors, together = std::min(all, Int8Sums::max_together);
    static_assert(all % together == 0);
    for (int first = 0; first < all; first += together) {
        Int8Sums sum[Rows][together];
        for (std::int64_t g = 0; g < groups; ++g) {
            if constexpr (Panels == 1) kernel::prefetch<panel * group>(w + g * panel * group);
            for (int r = 0; r < Rows; ++r) {
                const Int8Sums::X four = Int8Sums::broadcast(x + r * x_row + g * group);
                for (int i = 0; i < together; ++i) {
                    const int p = (first + i) / vectors, v = (first + i) % vectors;
                    sum[r][i].add(four,
                                  w + p * w_panel + (g * panel + v * Int8Sums::columns) * group);
                }
            }
        }
        for (int r = 0; r < Rows; ++r)
            for (int i = 0; i < together; ++i)
                sum[r][i].store(sums + (r * all + first + i) * Int8Sums::columns);
    }
}

using Multiply = void (*)(const std::int8_t*, std::int64_t, const std::int8_t*, std::int64_t,
                          std::int32_t*);

Multiply multiply_rows(std::int64_t rows) {
    static constexpr auto table = []<int... R>(std::integer_sequence<int, R...>) {
        return std::array<Multiply, sizeof...(R)>{multiply<R + 1, 1>...};
    }
    (std::make_integer_sequence<int, Int8Sums::rows>());
    return table[index(rows - 1)];
}

// The body of quantize_row(). in_a_row: stride is 1, which the compiler can vectorise.
// As integers, the bits of floats without the sign have the order of the floats, with ∞ and NaN the
// largest. So the largest magnitude is found with integers, in any order.
template <bool in_a_row>
float quantize(const float* x, std::int64_t n, std::int64_t stride, std::int8_t* q) {
    constexpr std::int32_t magnitude = 0x7fffffff, infinity = 0x7f800000;
    const auto at = [&](std::int64_t k) { return x[in_a_row ? k : k * stride]; };
    std::int32_t bits = 0;
    for (std::int64_t k = 0; k < n; ++k)
        bits = std::max(bits, std::bit_cast<std::int32_t>(at(k)) & magnitude);
    const bool finite = bits < infinity;
    const float largest = std::bit_cast<float>(bits), inverse = 127.0f / largest;
    if (!finite || !(inverse <= std::numeric_limits<float>::max())) {
        std::fill(q, q + n, std::int8_t{0});
        return finite ? 0.0f : std::numeric_limits<float>::quiet_NaN();
    }
    for (std::int64_t k = 0; k < n; ++k)
        q[k] = static_cast<std::int8_t>(std::nearbyint(at(k) * inverse));
    return largest / 127.0f;
}

// Quantises the rows of x to `x_row` bytes each, with the kernel's x_offset added, and computes
// their scales.
void quantize_rows(const MatrixView& x, std::int64_t x_row, std::int8_t* q, float* scales) {
    for (std::int64_t r = 0; r < x.rows; ++r) {
        std::int8_t* row = q + r * x_row;
        scales[r] = quantize_row(x.data + r * x.row_stride, x.columns, x.column_stride, row);
        std::fill(row + x.columns, row + x_row, std::int8_t{0});
        if constexpr (Int8Sums::x_offset != 0)
            for (std::int64_t k = 0; k < x_row; ++k)
                row[k] = static_cast<std::int8_t>(row[k] ^ std::int8_t{-128});  // + 128, unsigned
    }
}

}  // namespace

float quantize_row(const float* x, std::int64_t n, std::int64_t stride, std::int8_t* q) {
    return stride == 1 ? quantize<true>(x, n, 1, q) : quantize<false>(x, n, stride, q);
}

// Quantises and packs one panel. columns (panel · K) and q (K, then zeros up to a whole group) are
// scratch memory.
template <class From>
void Int8Matrix::pack_panel(std::span<const StoredView> parts, std::int64_t p, float* columns,
                            std::int8_t* q) {
    const std::int64_t count = std::min<std::int64_t>(panel, n_ - p * panel);
    kernel::widen_columns<From, panel>(parts, p * panel, count, columns);
    auto* to = reinterpret_cast<std::int8_t*>(data_.get()) + p * groups() * panel * group;
    for (std::int64_t c = 0; c < count; ++c, to += group) {
        const auto at = index(p * panel + c);
        scales_[at] = quantize_row(columns + c * k_, k_, 1, q);
        sums_[at] = std::accumulate(q, q + k_, std::int32_t{0});
        for (std::int64_t g = 0; g < groups(); ++g)
            std::memcpy(to + g * panel * group, q + g * group, group);
    }
}

Int8Matrix::Int8Matrix(const StoredView& w, int threads) : Int8Matrix(std::span(&w, 1), threads) {}

Int8Matrix::Int8Matrix(std::span<const StoredView> parts, int threads)
    : k_(parts[0].rows), n_(kernel::columns_side_by_side(parts)) {
    const WeightType type = parts[0].type;
    reserve();
    run_team(threads, [&](const Worker& worker) {
        std::vector<float> memory(index(panel * k_));
        std::vector<std::int8_t> q(index(groups() * group));
        const auto [begin, end] = worker.share(panels());
        for (std::int64_t p = begin; p < end; ++p) {
            if (type == WeightType::f32) pack_panel<float>(parts, p, memory.data(), q.data());
            if (type == WeightType::f16) pack_panel<simd::F16>(parts, p, memory.data(), q.data());
            if (type == WeightType::bf16) pack_panel<simd::BF16>(parts, p, memory.data(), q.data());
        }
    });
    for (std::int64_t n = 0; n < n_; ++n) {
        if (std::isnan(scales_[index(n)]))
            throw Error("int8: a weight in column " + std::to_string(n) +
                        " is not finite; the model is broken");
    }
}

void Int8Matrix::reserve() {
    if (k_ > max_rows)
        throw Error("int8: a weight matrix has " + std::to_string(k_) + " rows, expected at most " +
                    std::to_string(max_rows) + " (their sum must fit 32 bits); keep it as f16");
    const std::int64_t columns = panels() * panel, size = groups() * columns * group;
    data_ = allocate_zeros((size + 3) / 4);
    scales_.assign(index(columns), 0.0f);
    sums_.assign(index(columns), 0);
}

Int8Matrix::Int8Matrix(const Int8Codes& w, int threads) : k_(w.rows), n_(w.columns) {
    reserve();
    std::copy_n(w.scales.data(), n_, scales_.data());
    run_team(threads, [&](const Worker& worker) {
        const auto [begin, end] = worker.share(panels());
        for (std::int64_t p = begin; p < end; ++p) {
            const std::int64_t count = std::min<std::int64_t>(panel, n_ - p * panel);
            auto* to = reinterpret_cast<std::int8_t*>(data_.get()) + p * groups() * panel * group;
            std::int32_t* sums = sums_.data() + p * panel;
            for (std::int64_t k = 0; k < k_; ++k) {
                const std::int8_t* row = w.q.data() + k * n_ + p * panel;
                std::int8_t* four = to + k / group * panel * group + k % group;
                for (std::int64_t c = 0; c < count; ++c) {
                    four[c * group] = row[c];
                    sums[c] += row[c];
                }
            }
        }
    });
}

std::int64_t Int8Matrix::bytes() const { return panels() * panel * (groups() * group + 4 + 4); }

void int8_matmul(const MatrixView& x, const Int8Matrix& w, float* y, std::int64_t y_stride,
                 const MatmulOptions& options, const Worker& worker) {
    if (x.columns != w.k())
        throw Error("matmul: x has shape " + to_string(Shape{x.rows, x.columns}) + ", expected " +
                    std::to_string(w.k()) + " columns, as many as w has rows");
    // Each thread quantises all rows of x for itself. That is faster than a sync.
    thread_local std::vector<std::int8_t> rounded;
    thread_local std::vector<float> row_scales;
    const std::int64_t x_row = w.groups() * group;
    rounded.resize(index(x.rows * x_row));
    row_scales.resize(index(x.rows));
    quantize_rows(x, x_row, rounded.data(), row_scales.data());

    const kernel::IntegerJob job{
        w.n(), y, y_stride, options, row_scales.data(), w.scales().data(), w.column_sums().data()};
    kernel::integer_tiles<Int8Sums, Int8Sums::x_offset>(
        job, x.rows, worker.share(w.panels()),
        [&](std::int64_t row, std::int64_t count, std::int64_t p, int panels, std::int32_t* sums) {
            const std::int8_t* q = rounded.data() + row * x_row;
            if (panels > 1)
                multiply<1, Int8Sums::panels_of_one_row>(q, x_row, w.panel_data(p), w.groups(),
                                                         sums);
            else multiply_rows(count)(q, x_row, w.panel_data(p), w.groups(), sums);
        });
}

}  // namespace tbt
