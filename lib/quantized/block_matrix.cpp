#include "lib/quantized/block_matrix.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/kernels/matmul.hpp"
#include "lib/quantized/block_kernel.hpp"
#include "lib/quantized/integer_matrix.hpp"

namespace tbt {

namespace {

using kernel::BlockSums;

constexpr int panel = BlockMatrix::panel;
constexpr std::uint8_t sixteen_values[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

// ---- quantising activations ---------------------------------------------------------------------

// Rows of x in 8 bits, with a scale for each unit and the sum of each group. Each thread quantises
// all rows for itself. That is faster than a sync.
struct RoundedUnits {
    std::vector<std::int8_t> q;      // (M, K)
    std::vector<float> scales;       // (M, K / unit)
    std::vector<std::int32_t> sums;  // (M, K / group)

    void round(const MatrixView& x, const GgufBlock& type) {
        const std::int64_t K = x.columns, unit = type.numbers, group = type.group;
        q.resize(index(x.rows * K));
        scales.resize(index(x.rows * K / unit));
        sums.resize(index(x.rows * K / group));
        for (std::int64_t r = 0; r < x.rows; ++r) {
            const float* row = x.data + r * x.row_stride;
            for (std::int64_t k = 0; k < K; k += unit)
                scales[index((r * K + k) / unit)] = quantize_row(
                    row + k * x.column_stride, unit, x.column_stride, q.data() + r * K + k);
        }
        for (std::size_t i = 0; i < sums.size(); ++i) {
            const std::int8_t* codes = q.data() + i * index(group);
            sums[i] = std::accumulate(codes, codes + group, std::int32_t{0});
        }
    }
};

// ---- tiles of the products ----------------------------------------------------------------------

// Adds the products of a group of k with the columns from vector `first` on. Rows of x are K apart.
template <int Bits, int Group, int Rows>
void add_group(BlockSums (&sum)[Rows][BlockSums::together], int first, const std::int8_t* x,
               std::int64_t K, const std::uint8_t* codes, const BlockSums::Table& table) {
    const auto four = [&](int r, int k) { return BlockSums::broadcast(x + r * K + k); };
    for (int j = 0; j < Group * Bits / 32; ++j, codes += panel * 4) {
        kernel::prefetch<panel * 4>(codes);
        BlockSums::X low[Rows], high[Rows];
        for (int r = 0; r < Rows; ++r) {
            low[r] = four(r, 4 * j);
            if constexpr (Bits == 4) high[r] = four(r, Group / 2 + 4 * j);
        }
        for (int i = 0; i < BlockSums::together; ++i) {
            const std::uint8_t* p = codes + (first + i) * BlockSums::columns * 4;
            if constexpr (Bits == 8) {
                for (int r = 0; r < Rows; ++r) sum[r][i].add(BlockSums::codes8(p), low[r]);
            } else {
                const auto both = table.halves(p);
                for (int r = 0; r < Rows; ++r) {
                    sum[r][i].add(both.low, low[r]);
                    sum[r][i].add(both.high, high[r]);
                }
            }
        }
    }
}

// Multiplies `Rows` rows, beginning with `row`, by panel p and writes y[row][column].
template <int Bits, int Group, int Rows>
void multiply_panel(const RoundedUnits& x, std::int64_t row, const BlockMatrix& w, std::int64_t p,
                    float* y) {
    constexpr int vectors = panel / BlockSums::columns, together = BlockSums::together;
    const GgufBlock& type = w.block();
    const std::int64_t K = w.k(), units = w.units(), groups = w.groups(), all = units * groups;
    const std::int8_t* q = x.q.data() + row * K;
    const BlockSums::Table table(type.values ? type.values : sixteen_values);
    for (int first = 0; first < vectors; first += together) {
        BlockSums sum[Rows][together];
        const auto each = [&](auto use) {
            for (int r = 0; r < Rows; ++r)
                for (int i = 0; i < together; ++i)
                    use(sum[r][i], r, (first + i) * sum[r][i].columns);
        };
        for (std::int64_t u = 0; u < units; ++u) {
            const std::uint8_t *const codes = w.unit(p, u), *const scales = codes + w.code_bytes(),
                                      *const minima =
                                          scales + (w.has_scales() ? groups * panel : 0);
            for (std::int64_t g = 0; g < groups; ++g) {
                const std::int32_t* x_sums = x.sums.data() + row * all + u * groups + g;
                each([&](BlockSums& s, int r, int) { s.start(-type.offset * x_sums[r * all]); });
                add_group<Bits, Group>(sum, first, q + u * type.numbers + g * Group, K,
                                       codes + g * Group * panel * Bits / 8, table);
                if (w.has_scales())
                    each([&](BlockSums& s, int, int c) { s.close(scales + g * panel + c); });
                else each([&](BlockSums& s, int, int) { s.close(); });
            }
            const std::uint8_t* end = minima + (type.has_minima ? groups * panel : 0);
            const auto* d = reinterpret_cast<const float*>(end);
            const float* x_scales = x.scales.data() + row * units + u;
            each([&](BlockSums& s, int r, int c) { s.end(d + c, x_scales[r * units]); });
            if (!type.has_minima) continue;
            for (std::int64_t g = 0; g < groups; ++g)
                each([&](BlockSums& s, int r, int c) {
                    s.subtract(minima + g * panel + c,
                               x.sums[index((row + r) * all + u * groups + g)]);
                });
            each([&](BlockSums& s, int r, int c) {
                s.end_minima(d + panel + c, x_scales[r * units]);
            });
        }
        each([&](BlockSums& s, int r, int c) { s.store(y + r * panel + c); });
    }
}

using Multiply = void (*)(const RoundedUnits&, std::int64_t, const BlockMatrix&, std::int64_t,
                          float*);

// multiply_panel for 1, 2, … rows.
template <int Bits, int Group>
Multiply multiply_rows(std::int64_t rows) {
    static constexpr auto table = []<int... R>(std::integer_sequence<int, R...>) {
        return std::array{multiply_panel<Bits, Group, R + 1>...};
    }
    (std::make_integer_sequence<int, BlockSums::rows>());
    return table[index(rows - 1)];
}

// ---- packing ------------------------------------------------------------------------------------

using Parts = std::array<BlockParts, panel>;

// Writes the codes of a panel's unit, four of each column at a time.
template <int Bits, int Group>
void put_codes(const Parts& parts, std::int64_t numbers, std::uint8_t* to) {
    constexpr int count = Group * Bits / 8;
    const auto four = [&](int c, std::int64_t k) {
        std::uint32_t codes;
        std::memcpy(&codes, parts[index(c)].codes + k, sizeof codes);
        return codes;
    };
    for (std::int64_t k = 0; k < numbers; k += Group)
        for (int i = 0; i < count; i += 4)
            for (int c = 0; c < panel; ++c, to += 4) {
                std::uint32_t bytes = four(c, k + i);
                if constexpr (Bits == 4) bytes |= four(c, k + Group / 2 + i) << 4;
                std::memcpy(to, &bytes, sizeof bytes);
            }
}

// The functions for a type's bits and group.
struct Functions {
    Multiply (*multiply)(std::int64_t rows);
    void (*put)(const Parts& parts, std::int64_t numbers, std::uint8_t* to);
};
Functions functions_for(const GgufBlock& type) {
    if (type.bits == 8)
        return type.group == 32 ? Functions{multiply_rows<8, 32>, put_codes<8, 32>}
                                : Functions{multiply_rows<8, 16>, put_codes<8, 16>};
    return type.group == 32 ? Functions{multiply_rows<4, 32>, put_codes<4, 32>}
                            : Functions{multiply_rows<4, 16>, put_codes<4, 16>};
}

}  // namespace

void BlockRows::widen_row(std::int64_t r, float* to) const {
    const std::byte* block = rows.at(index(r));
    for (std::int64_t done = 0; done < k; done += type->numbers, block += type->bytes)
        type->widen(block, to + done);
}

BlockMatrix::BlockMatrix(const BlockRows& w, int threads)
    : type_(w.type), k_(w.k), n_(length_of(w.rows)) {
    if (!type_ || !type_->is_quantised() || k_ < 1 || n_ < 1 || k_ % type_->numbers != 0)
        throw Error("blocks: a matrix of shape (" + std::to_string(n_) + ", " + std::to_string(k_) +
                    "), expected rows of whole blocks of a quantised type");
    unit_bytes_ = panel * type_->bytes_in_memory();
    data_ = allocate_weights((bytes() + 3) / 4);
    std::atomic<bool> finite = true;
    run_team(threads, [&](const Worker& worker) {
        const auto [begin, end] = worker.share(panels());
        for (std::int64_t p = begin; p < end; ++p)
            if (!pack_panel(w, p)) finite = false;
    });
    if (!finite) throw Error("blocks: a scale is not finite; the file is broken");
}

// Returns true if all scales are finite.
bool BlockMatrix::pack_panel(const BlockRows& w, std::int64_t p) {
    const int count = to_int(std::min<std::int64_t>(panel, n_ - p * panel));
    const auto put = functions_for(*type_).put;
    bool finite = true;
    Parts parts{};  // zeros for columns after the last one
    for (std::int64_t u = 0; u < units(); ++u) {
        for (int c = 0; c < count; ++c)
            type_->take_apart(w.rows[index(p * panel + c)] + u * type_->bytes, parts[index(c)]);
        auto* to = const_cast<std::uint8_t*>(unit(p, u));
        put(parts, type_->numbers, to);
        to += code_bytes();
        for (int g = 0; has_scales() && g < groups(); ++g)
            for (const BlockParts& part : parts) *to++ = static_cast<std::uint8_t>(part.scales[g]);
        for (int g = 0; type_->has_minima && g < groups(); ++g)
            for (const BlockParts& part : parts) *to++ = part.minima[g];
        auto* d = reinterpret_cast<float*>(to);
        for (int c = 0; c < panel; ++c) {
            const BlockParts& part = parts[index(c)];
            d[c] = part.d;
            if (type_->has_minima) d[panel + c] = part.m;
            // Times the largest scale and value.
            finite = finite && std::isfinite(part.d * 32768) && std::isfinite(part.m * 32768);
        }
    }
    return finite;
}

void BlockMatrix::multiply(const MatrixView& x, float* y, std::int64_t y_stride,
                           const MatmulOptions& options, const Worker& worker) const {
    thread_local RoundedUnits rows;
    rows.round(x, *type_);
    const auto multiply_few = functions_for(*type_).multiply;
    const kernel::IntegerJob job{n_, y, y_stride, options, nullptr, nullptr, nullptr};
    kernel::integer_tiles<BlockSums, 0, float>(
        job, x.rows, worker.share(panels()),
        [&](std::int64_t row, std::int64_t count, std::int64_t p, int, float* sums) {
            multiply_few(count)(rows, row, *this, p, sums);
        });
}

// ---- side by side -------------------------------------------------------------------------------

JoinedMatrix::JoinedMatrix(std::vector<PackedMatrix> parts) : parts_(std::move(parts)) {
    if (parts_.empty()) throw Error("blocks: no matrices to join, expected one or more");
    for (const PackedMatrix& part : parts_) {
        if (part.k() != k())
            throw Error("blocks: matrices of " + std::to_string(k()) + " and " +
                        std::to_string(part.k()) + " rows side by side, expected the same");
        n_ += part.n();
    }
}

std::int64_t JoinedMatrix::bytes() const {
    std::int64_t sum = 0;
    for (const PackedMatrix& part : parts_) sum += part.bytes();
    return sum;
}

void JoinedMatrix::multiply(const MatrixView& x, float* y, std::int64_t y_stride,
                            const MatmulOptions& options, const Worker& worker) const {
    MatmulOptions of_part = options;
    for (const PackedMatrix& part : parts_) {
        matmul(x, part, y, y_stride, of_part, worker);
        y += part.n();
        if (of_part.bias) of_part.bias += part.n();
    }
}

}  // namespace tbt
