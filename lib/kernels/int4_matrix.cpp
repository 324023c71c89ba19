#include "lib/kernels/int4_matrix.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/kernels/int4_kernel.hpp"
#include "lib/kernels/int8_matrix.hpp"
#include "lib/kernels/integer_product.hpp"
#include "lib/kernels/weight_columns.hpp"

namespace tbt {

namespace {

using kernel::Int4Sums;

constexpr int panel = Int4Matrix::panel, group = Int4Matrix::group;
constexpr int quads = group / 8;                    // pairs of quads in a group
constexpr int vectors = panel / Int4Sums::columns;  // registers side by side in a panel
static_assert(panel == kernel::integer_panel);

// The rows of x quantised to 8 bits and padded with zeros to whole groups, with −8 · Σ x for each
// group and the scale of each row.
struct RoundedRows {
    std::vector<std::int8_t> q;
    std::vector<std::int32_t> offsets;
    std::vector<float> scales;

    void round(const MatrixView& x, std::int64_t groups) {
        const std::int64_t width = groups * group;
        q.resize(index(x.rows * width));
        offsets.resize(index(x.rows * groups));
        scales.resize(index(x.rows));
        for (std::int64_t r = 0; r < x.rows; ++r) {
            std::int8_t* row = q.data() + r * width;
            scales[index(r)] =
                quantize_row(x.data + r * x.row_stride, x.columns, x.column_stride, row);
            std::fill(row + x.columns, row + width, std::int8_t{0});
            for (std::int64_t g = 0; g < groups; ++g) {
                std::int32_t sum = 0;
                for (int i = 0; i < group; ++i) sum += row[g * group + i];
                offsets[index(r * groups + g)] = -8 * sum;
            }
        }
    }
};

// Multiplies `Rows` rows, beginning with `row`, by panel p and writes the results to
// sums[row][column].
template <int Rows>
void multiply(const RoundedRows& x, std::int64_t row, const Int4Matrix& w, std::int64_t p,
              std::int32_t* sums) {
    const std::int64_t groups = w.groups(), width = groups * group;
    const std::int8_t* q = x.q.data() + row * width;
    const std::int32_t* offsets = x.offsets.data() + row * groups;
    const std::uint8_t *codes = w.codes(p), *multipliers = w.multipliers(p);
    constexpr int together = std::min(vectors, Int4Sums::max_together);
    static_assert(vectors % together == 0);
    for (int first = 0; first < vectors; first += together) {
        Int4Sums sum[Rows][together];
        for (std::int64_t g = 0; g < groups; ++g) {
            for (int r = 0; r < Rows; ++r)
                for (int i = 0; i < together; ++i) sum[r][i].start(offsets[r * groups + g]);
            for (int j = 0; j < quads; ++j) {
                const std::int8_t* eight = q + g * group + 8 * j;
                typename Int4Sums::X low[Rows], high[Rows];
                for (int r = 0; r < Rows; ++r) {
                    low[r] = Int4Sums::broadcast(eight + r * width);
                    high[r] = Int4Sums::broadcast(eight + r * width + 4);
                }
                const std::uint8_t* both = codes + g * Int4Matrix::group_bytes + j * panel * 4;
                kernel::prefetch<panel * 4>(both);
                for (int i = 0; i < together; ++i) {
                    const auto unpacked =
                        Int4Sums::unpack(both + (first + i) * Int4Sums::columns * 4);
                    for (int r = 0; r < Rows; ++r) sum[r][i].add(unpacked, low[r], high[r]);
                }
            }
            for (int i = 0; i < together; ++i) {
                const std::uint8_t* m = multipliers + g * panel + (first + i) * Int4Sums::columns;
                for (int r = 0; r < Rows; ++r) sum[r][i].close(m);
            }
        }
        for (int r = 0; r < Rows; ++r)
            for (int i = 0; i < together; ++i)
                sum[r][i].store(sums + (r * vectors + first + i) * Int4Sums::columns);
    }
}

using Multiply = void (*)(const RoundedRows&, std::int64_t, const Int4Matrix&, std::int64_t,
                          std::int32_t*);

Multiply multiply_rows(std::int64_t rows) {
    static constexpr auto table = []<int... R>(std::integer_sequence<int, R...>) {
        return std::array<Multiply, sizeof...(R)>{multiply<R + 1>...};
    }
    (std::make_integer_sequence<int, Int4Sums::rows>());
    return table[index(rows - 1)];
}

}  // namespace

float quantize_groups(const float* w, std::int64_t n, std::int8_t* q, std::uint8_t* m) {
    const std::int64_t groups = (n + group - 1) / group;
    const auto largest_of = [&](Range range) {
        float largest = 0;
        for (std::int64_t k = range.begin; k < range.end; ++k)
            largest = std::abs(w[k]) > largest ? std::abs(w[k]) : largest;
        return largest;
    };
    std::fill(q, q + n, std::int8_t{0});
    std::fill(m, m + groups, std::uint8_t{0});
    if (!std::all_of(w, w + n, [](float v) { return std::isfinite(v); }))
        return std::numeric_limits<float>::quiet_NaN();
    const float largest = largest_of({0, n}), unit = largest / 889.0f, inverse = 127.0f / largest;
    if (!std::isfinite(1.0f / unit)) return 0;
    for (std::int64_t g = 0; g < groups; ++g) {
        const Range range{g * group, std::min(n, (g + 1) * group)};
        const float of_group = largest_of(range);
        if (of_group == 0) continue;
        const float multiplier = std::max(1.0f, std::nearbyint(of_group * inverse));
        m[g] = static_cast<std::uint8_t>(multiplier);
        const float per_step = 1.0f / (unit * multiplier);
        for (std::int64_t k = range.begin; k < range.end; ++k)
            q[k] =
                static_cast<std::int8_t>(std::clamp(std::nearbyint(w[k] * per_step), -7.0f, 7.0f));
    }
    return unit;
}

// Quantises and packs one panel. columns (panel · K), q (K, then zeros up to a whole group) and
// m (groups) are scratch memory.
template <class From>
void Int4Matrix::pack_panel(std::span<const StoredView> parts, std::int64_t p, float* columns,
                            std::int8_t* q, std::uint8_t* m) {
    const std::int64_t count = std::min<std::int64_t>(panel, n_ - p * panel);
    kernel::widen_columns<From, panel>(parts, p * panel, count, columns);
    for (std::int64_t c = 0; c < count; ++c) {
        scales_[index(p * panel + c)] = quantize_groups(columns + c * k_, k_, q, m);
        put(p, c, q, m);
    }
}

void Int4Matrix::put(std::int64_t p, std::int64_t c, const std::int8_t* q, const std::uint8_t* m) {
    auto* codes = reinterpret_cast<std::uint8_t*>(codes_.get()) + p * groups() * group_bytes;
    for (std::int64_t g = 0; g < groups(); ++g)
        multipliers_[index((p * groups() + g) * panel + c)] = m[g];
    for (std::int64_t k = 0; k < k_; k += 8, q += 8) {
        std::uint8_t four[4];
        for (int i = 0; i < 4; ++i)
            four[i] = static_cast<std::uint8_t>((q[i] + 8) | (q[i + 4] + 8) << 4);
        std::memcpy(codes + (k / 8 * panel + c) * 4, four, 4);
    }
}

void Int4Matrix::reserve() {
    if (k_ > max_rows)
        throw Error("int4: a weight matrix has " + std::to_string(k_) + " rows, expected at most " +
                    std::to_string(max_rows) + " (their sum must fit 32 bits); keep it as int8");
    const std::int64_t bytes = panels() * groups() * group_bytes;
    codes_ = allocate_zeros((bytes + 3) / 4);
    // A byte with two codes of 0 has 8 in both halves.
    std::fill_n(reinterpret_cast<std::uint8_t*>(codes_.get()), bytes, std::uint8_t{0x88});
    multipliers_.assign(index(panels() * groups() * panel), 0);
    scales_.assign(index(panels() * panel), 0.0f);
}

Int4Matrix::Int4Matrix(const Int4Codes& w, int threads) : k_(w.rows), n_(w.columns) {
    reserve();
    std::copy_n(w.units.data(), n_, scales_.data());
    run_team(threads, [&](const Worker& worker) {
        const auto [begin, end] = worker.share(panels());
        for (std::int64_t p = begin; p < end; ++p) copy_panel(w, p);
    });
}

// A byte has the codes of k and k + 1 in files, but of k and k + 4 in a panel. So this rearranges
// the four bytes for every eight k of a column.
void Int4Matrix::copy_panel(const Int4Codes& w, std::int64_t p) {
    const std::int64_t count = std::min<std::int64_t>(panel, n_ - p * panel), pairs = (k_ + 1) / 2;
    std::array<std::uint8_t, panel> none;  // zeros for rows after the last one
    none.fill(0x88);
    auto* codes = reinterpret_cast<std::uint8_t*>(codes_.get()) + p * groups() * group_bytes;
    for (std::int64_t eight = 0; eight * 4 < pairs; ++eight, codes += panel * 4) {
        const std::uint8_t* row[4];
        for (std::int64_t i = 0; i < 4; ++i) {
            const std::int64_t pair = eight * 4 + i;
            row[i] = pair < pairs ? w.codes.data() + pair * n_ + p * panel : none.data();
        }
        for (std::int64_t c = 0; c < count; ++c) {
            const int a = row[0][c], b = row[1][c], d = row[2][c], e = row[3][c];
            codes[4 * c] = static_cast<std::uint8_t>((a & 15) | (d & 15) << 4);
            codes[4 * c + 1] = static_cast<std::uint8_t>(a >> 4 | (d & 0xf0));
            codes[4 * c + 2] = static_cast<std::uint8_t>((b & 15) | (e & 15) << 4);
            codes[4 * c + 3] = static_cast<std::uint8_t>(b >> 4 | (e & 0xf0));
        }
    }
    for (std::int64_t g = 0; g < groups(); ++g)
        std::copy_n(w.multipliers.data() + g * n_ + p * panel, count,
                    multipliers_.data() + (p * groups() + g) * panel);
}

Int4Matrix::Int4Matrix(const StoredView& w, int threads) : Int4Matrix(std::span(&w, 1), threads) {}

Int4Matrix::Int4Matrix(std::span<const StoredView> parts, int threads)
    : k_(parts[0].rows), n_(kernel::columns_side_by_side(parts)) {
    const WeightType type = parts[0].type;
    reserve();
    run_team(threads, [&](const Worker& worker) {
        std::vector<float> memory(index(panel * k_));
        std::vector<std::int8_t> q(index(groups() * group));
        std::vector<std::uint8_t> m(index(groups()));
        const auto [begin, end] = worker.share(panels());
        for (std::int64_t p = begin; p < end; ++p) {
            if (type == WeightType::f32)
                pack_panel<float>(parts, p, memory.data(), q.data(), m.data());
            if (type == WeightType::f16)
                pack_panel<simd::F16>(parts, p, memory.data(), q.data(), m.data());
            if (type == WeightType::bf16)
                pack_panel<simd::BF16>(parts, p, memory.data(), q.data(), m.data());
        }
    });
    for (std::int64_t n = 0; n < n_; ++n) {
        if (std::isnan(scales_[index(n)]))
            throw Error("int4: a weight in column " + std::to_string(n) +
                        " is not finite; the model is broken");
    }
}

std::int64_t Int4Matrix::bytes() const {
    return panels() * (groups() * (group_bytes + panel) + panel * 4);
}

void int4_matmul(const MatrixView& x, const Int4Matrix& w, float* y, std::int64_t y_stride,
                 const MatmulOptions& options, const Worker& worker) {
    if (x.columns != w.k())
        throw Error("matmul: x has shape " + to_string(Shape{x.rows, x.columns}) + ", expected " +
                    std::to_string(w.k()) + " columns, as many as w has rows");
    // Each thread quantises all rows of x for itself. That is faster than a sync.
    thread_local RoundedRows rows;
    rows.round(x, w.groups());
    const kernel::IntegerJob job{
        w.n(), y, y_stride, options, rows.scales.data(), w.scales().data(), nullptr};
    kernel::integer_tiles<Int4Sums, 0>(
        job, x.rows, worker.share(w.panels()),
        [&](std::int64_t row, std::int64_t count, std::int64_t p, int, std::int32_t* sums) {
            multiply_rows(count)(rows, row, w, p, sums);
        });
}

}  // namespace tbt
