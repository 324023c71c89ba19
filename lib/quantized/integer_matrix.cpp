#include "lib/quantized/integer_matrix.hpp"

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
#include "lib/kernels/bf16.hpp"
#include "lib/kernels/weight_columns.hpp"
#include "lib/quantized/integer_kernel.hpp"

namespace tbt {

namespace {

using kernel::Int4Sums;
using kernel::Int8Sums;

constexpr int panel = IntegerMatrix::panel;
static_assert(panel == kernel::integer_panel);

// ---- quantising weights -------------------------------------------------------------------------

// The memory to quantise the columns of one panel.
struct ColumnScratch {
    std::vector<float> columns;   // (32, K)
    std::vector<std::int8_t> q;   // (K, then zeros up to a whole group)
    std::vector<std::uint8_t> m;  // (groups)
};

// Calls quantize(column, place, scratch), which returns a scale, for every column of the parts side
// by side, on all threads; `place` is its panel and its place there. Throws Error if a scale is
// NaN.
template <class Quantize>
void quantize_columns(std::span<const StoredView> parts, const IntegerMatrix& w, const char* who,
                      int threads, std::vector<float>& scales, Quantize quantize) {
    const std::int64_t K = w.k();
    const auto quantize_panel = [&]<class From>(From, std::int64_t p, ColumnScratch& s) {
        const std::int64_t count = std::min<std::int64_t>(panel, w.n() - p * panel);
        kernel::widen_columns<From, panel>(parts, p * panel, count, s.columns.data());
        for (std::int64_t c = 0; c < count; ++c)
            scales[index(p * panel + c)] = quantize(s.columns.data() + c * K, p, c, s);
    };
    run_team(threads, [&](const Worker& worker) {
        const std::int64_t groups = (K + int4_group - 1) / int4_group;
        ColumnScratch scratch{std::vector<float>(index(panel * K)),
                              std::vector<std::int8_t>(index(groups * int4_group)),
                              std::vector<std::uint8_t>(index(groups))};
        const auto [begin, end] = worker.share(w.panels());
        for (std::int64_t p = begin; p < end; ++p) {
            if (parts[0].type == WeightType::f32) quantize_panel(0.0f, p, scratch);
            if (parts[0].type == WeightType::f16) quantize_panel(simd::F16{}, p, scratch);
            if (parts[0].type == WeightType::bf16) quantize_panel(simd::BF16{}, p, scratch);
        }
    });
    for (std::int64_t n = 0; n < w.n(); ++n)
        if (std::isnan(scales[index(n)]))
            throw Error(std::string(who) + ": a weight in column " + std::to_string(n) +
                        " is not finite; the model is broken");
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

// ---- quantising activations ---------------------------------------------------------------------

// Rows of x quantised to 8 bits and padded with zeros to `width`, with the scale of each row. Each
// thread quantises all rows for itself. That is faster than a sync.
struct RoundedRows {
    std::int64_t width = 0;
    std::vector<std::int8_t> q;
    std::vector<float> scales;
    std::vector<std::int32_t> offsets;  // for 4 bits: −8 · Σ x of each group

    // Calls then(row, q) for each row.
    template <class Then>
    void round(const MatrixView& x, std::int64_t padded, Then then) {
        width = padded;
        q.resize(index(x.rows * width));
        scales.resize(index(x.rows));
        for (std::int64_t r = 0; r < x.rows; ++r) {
            std::int8_t* row = q.data() + r * width;
            scales[index(r)] =
                quantize_row(x.data + r * x.row_stride, x.columns, x.column_stride, row);
            std::fill(row + x.columns, row + width, std::int8_t{0});
            then(r, row);
        }
    }
};

// ---- tiles of the products ----------------------------------------------------------------------
constexpr int group8 = Int8Matrix::group;
constexpr int vectors8 = panel / Int8Sums::columns;  // registers side by side in a panel
constexpr int quads = int4_group / 8;                // pairs of quads in a group
constexpr int vectors4 = panel / Int4Sums::columns;

// Multiplies `Rows` rows of x (`x_row` bytes apart) by `Panels` panels of w and writes the results
// to sums[row][panel · 32 + column].
template <int Rows, int Panels>
void multiply8(const std::int8_t* x, std::int64_t x_row, const std::int8_t* w, std::int64_t groups,
               std::int32_t* sums) {
    const std::int64_t w_panel = groups * panel * group8;
    constexpr int all = Panels * vectors8, together = std::min(all, Int8Sums::max_together);
    static_assert(all % together == 0);
    for (int first = 0; first < all; first += together) {
        Int8Sums sum[Rows][together];
        for (std::int64_t g = 0; g < groups; ++g) {
            if constexpr (Panels == 1) kernel::prefetch<panel * group8>(w + g * panel * group8);
            for (int r = 0; r < Rows; ++r) {
                const Int8Sums::X four = Int8Sums::broadcast(x + r * x_row + g * group8);
                for (int i = 0; i < together; ++i) {
                    const int p = (first + i) / vectors8, v = (first + i) % vectors8;
                    sum[r][i].add(four,
                                  w + p * w_panel + (g * panel + v * Int8Sums::columns) * group8);
                }
            }
        }
        for (int r = 0; r < Rows; ++r)
            for (int i = 0; i < together; ++i)
                sum[r][i].store(sums + (r * all + first + i) * Int8Sums::columns);
    }
}

// Multiplies `Rows` rows, beginning with `row`, by panel p and writes the results to
// sums[row][column].
template <int Rows>
void multiply4(const RoundedRows& x, std::int64_t row, const Int4Matrix& w, std::int64_t p,
               std::int32_t* sums) {
    const std::int64_t groups = w.groups(), width = groups * int4_group;
    const std::int8_t* q = x.q.data() + row * width;
    const std::int32_t* offsets = x.offsets.data() + row * groups;
    const std::uint8_t *codes = w.codes(p), *multipliers = w.multipliers(p);
    constexpr int together = std::min(vectors4, Int4Sums::max_together);
    static_assert(vectors4 % together == 0);
    for (int first = 0; first < vectors4; first += together) {
        Int4Sums sum[Rows][together];
        for (std::int64_t g = 0; g < groups; ++g) {
            for (int r = 0; r < Rows; ++r)
                for (int i = 0; i < together; ++i) sum[r][i].start(offsets[r * groups + g]);
            for (int j = 0; j < quads; ++j) {
                const std::int8_t* eight = q + g * int4_group + 8 * j;
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
                sum[r][i].store(sums + (r * vectors4 + first + i) * Int4Sums::columns);
    }
}

// The functions multiply8<1, 1>, multiply8<2, 1>, … or multiply4<1>, … for `rows` rows.
auto multiply8_rows(std::int64_t rows) {
    static constexpr auto table = []<int... R>(std::integer_sequence<int, R...>) {
        return std::array{multiply8<R + 1, 1>...};
    }
    (std::make_integer_sequence<int, Int8Sums::rows>());
    return table[index(rows - 1)];
}
auto multiply4_rows(std::int64_t rows) {
    static constexpr auto table = []<int... R>(std::integer_sequence<int, R...>) {
        return std::array{multiply4<R + 1>...};
    }
    (std::make_integer_sequence<int, Int4Sums::rows>());
    return table[index(rows - 1)];
}

}  // namespace

PackedMatrix pack_weights(std::span<const StoredView> parts, WeightType type, int threads) {
    if (type == WeightType::int8)
        return PackedMatrix(std::make_shared<const Int8Matrix>(parts, threads));
    if (type == WeightType::int4)
        return PackedMatrix(std::make_shared<const Int4Matrix>(parts, threads));
    return PackedMatrix(parts, type, threads);
}

PackedMatrix pack_weights(const StoredView& w, WeightType type, int threads) {
    return pack_weights(std::span(&w, 1), type, threads);
}

// ---- 8 bits -------------------------------------------------------------------------------------

float quantize_row(const float* x, std::int64_t n, std::int64_t stride, std::int8_t* q) {
    return stride == 1 ? quantize<true>(x, n, 1, q) : quantize<false>(x, n, stride, q);
}

void Int8Matrix::reserve() {
    if (k_ > max_rows)
        throw Error("int8: a weight matrix has " + std::to_string(k_) + " rows, expected at most " +
                    std::to_string(max_rows) + " (their sum must fit 32 bits); keep it as f16");
    const std::int64_t columns = panels() * panel, size = groups() * columns * group;
    codes_ = allocate_zeros((size + 3) / 4);
    scales_.assign(index(columns), 0.0f);
    sums_.assign(index(columns), 0);
}

Int8Matrix::Int8Matrix(std::span<const StoredView> parts, int threads)
    : IntegerMatrix(parts.empty() ? 0 : parts[0].rows, kernel::columns_side_by_side(parts)) {
    reserve();
    quantize_columns(parts, *this, "int8", threads, scales_,
                     [&](const float* column, std::int64_t p, std::int64_t c, ColumnScratch& s) {
                         std::int8_t* q = s.q.data();
                         const float scale = quantize_row(column, k_, 1, q);
                         sums_[index(p * panel + c)] = std::accumulate(q, q + k_, std::int32_t{0});
                         auto* to = const_cast<std::int8_t*>(codes(p)) + c * group;
                         for (std::int64_t g = 0; g < groups(); ++g)
                             std::memcpy(to + g * panel * group, q + g * group, group);
                         return scale;
                     });
}

Int8Matrix::Int8Matrix(const Int8Codes& w, int threads) : IntegerMatrix(w.rows, w.columns) {
    reserve();
    std::copy_n(w.scales.data(), n_, scales_.data());
    const std::int64_t k_step = w.transposed ? 1 : n_, n_step = w.transposed ? k_ : 1;
    run_team(threads, [&](const Worker& worker) {
        const auto [begin, end] = worker.share(panels());
        for (std::int64_t p = begin; p < end; ++p) {
            const std::int64_t count = std::min<std::int64_t>(panel, n_ - p * panel);
            auto* to = reinterpret_cast<std::int8_t*>(codes_.get()) + p * groups() * panel * group;
            std::int32_t* sums = sums_.data() + p * panel;
            for (std::int64_t k = 0; k < k_; ++k) {
                const std::int8_t* row = w.q.data() + k * k_step + p * panel * n_step;
                std::int8_t* four = to + k / group * panel * group + k % group;
                for (std::int64_t c = 0; c < count; ++c) {
                    four[c * group] = row[c * n_step];
                    sums[c] += row[c * n_step];
                }
            }
        }
    });
}

std::int64_t Int8Matrix::bytes() const { return panels() * panel * (groups() * group + 4 + 4); }

bool Int8Matrix::column(std::int64_t n, float* to) const {
    const std::int8_t* q = codes(n / panel) + n % panel * group;
    for (std::int64_t k = 0; k < k_; ++k)
        to[k] = scales_[index(n)] * static_cast<float>(q[k / group * panel * group + k % group]);
    return true;
}

void Int8Matrix::multiply(const MatrixView& x, float* y, std::int64_t y_stride,
                          const MatmulOptions& options, const Worker& worker) const {
    thread_local RoundedRows rows;
    rows.round(x, groups() * group, [&](std::int64_t, std::int8_t* row) {
        if constexpr (Int8Sums::x_offset != 0)
            for (std::int64_t k = 0; k < groups() * group; ++k)
                row[k] = static_cast<std::int8_t>(row[k] ^ std::int8_t{-128});  // + 128, unsigned
    });
    const kernel::IntegerJob job{
        n_, y, y_stride, options, rows.scales.data(), scales_.data(), sums_.data()};
    kernel::integer_tiles<Int8Sums, Int8Sums::x_offset>(
        job, x.rows, worker.share(panels()),
        [&](std::int64_t row, std::int64_t count, std::int64_t p, int several, std::int32_t* sums) {
            const std::int8_t* q = rows.q.data() + row * rows.width;
            if (several > 1)
                multiply8<1, Int8Sums::panels_of_one_row>(q, rows.width, codes(p), groups(), sums);
            else multiply8_rows(count)(q, rows.width, codes(p), groups(), sums);
        });
}

// ---- 4 bits -------------------------------------------------------------------------------------

// Quantises a column of n numbers to the codes q (n) and multipliers m (one for each group).
// Returns the unit S: 0 if all numbers are 0 or so small that 1 / S is not finite, NaN if a number
// is not finite.
static float quantize_groups(const float* w, std::int64_t n, std::int8_t* q, std::uint8_t* m) {
    const std::int64_t groups = (n + int4_group - 1) / int4_group;
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
        const Range range{g * int4_group, std::min(n, (g + 1) * int4_group)};
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

Int4Matrix::Int4Matrix(const Int4Codes& w, int threads) : IntegerMatrix(w.rows, w.columns) {
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

Int4Matrix::Int4Matrix(std::span<const StoredView> parts, int threads)
    : IntegerMatrix(parts.empty() ? 0 : parts[0].rows, kernel::columns_side_by_side(parts)) {
    reserve();
    quantize_columns(parts, *this, "int4", threads, scales_,
                     [&](const float* column, std::int64_t p, std::int64_t c, ColumnScratch& s) {
                         const float unit = quantize_groups(column, k_, s.q.data(), s.m.data());
                         put(p, c, s.q.data(), s.m.data());
                         return unit;
                     });
}

std::int64_t Int4Matrix::bytes() const {
    return panels() * (groups() * (group_bytes + panel) + panel * 4);
}

void Int4Matrix::multiply(const MatrixView& x, float* y, std::int64_t y_stride,
                          const MatmulOptions& options, const Worker& worker) const {
    thread_local RoundedRows rows;
    rows.offsets.resize(index(x.rows * groups()));
    rows.round(x, groups() * group, [&](std::int64_t r, const std::int8_t* row) {
        for (std::int64_t g = 0; g < groups(); ++g) {
            std::int32_t sum = 0;
            for (int i = 0; i < group; ++i) sum += row[g * group + i];
            rows.offsets[index(r * groups() + g)] = -8 * sum;
        }
    });
    const kernel::IntegerJob job{n_,     y, y_stride, options, rows.scales.data(), scales_.data(),
                                 nullptr};
    kernel::integer_tiles<Int4Sums, 0>(
        job, x.rows, worker.share(panels()),
        [&](std::int64_t row, std::int64_t count, std::int64_t p, int, std::int32_t* sums) {
            multiply4_rows(count)(rows, row, *this, p, sums);
        });
}

}  // namespace tbt
