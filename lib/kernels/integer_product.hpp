// The common part of the int8 and int4 matrix products: the loop over tiles, and the conversion of
// integer sums to floats.
// Included by .cpp files of lib only.
#pragma once

#include <algorithm>
#include <cstdint>

#include "lib/core/simd.hpp"
#include "lib/kernels/matmul.hpp"

namespace tbt::kernel {

inline constexpr int integer_panel = 32;  // columns of a panel

// Weights are prefetched this many bytes ahead, also from the next panels. That is far enough to
// hide the memory's latency, and keeps the memory busy while the rows are multiplied.
inline constexpr std::int64_t fetch_ahead = 8 * 1024;
template <int Bytes, class Code>
void prefetch(const Code* w) {
    const char* ahead = reinterpret_cast<const char*>(w) + fetch_ahead;
    for (int i = 0; i < Bytes; i += 64) __builtin_prefetch(ahead + i);
}

// The arguments of one matrix product.
struct IntegerJob {
    std::int64_t n;
    float* y;
    std::int64_t y_stride;
    const MatmulOptions& options;
    const float* row_scales;          // (M)
    const float* scales;              // (N)
    const std::int32_t* column_sums;  // (N), Σ_k q_w; used if the sums are of x + Offset
};

// Converts the integer sums of one row and `columns` columns, beginning with `column`, to floats
// in y.
template <std::int32_t Offset>
void finish(const IntegerJob& job, std::int64_t row, std::int64_t column, std::int64_t columns,
            const std::int32_t* sums) {
    columns = std::min(columns, job.n - column);
    float* y = job.y + row * job.y_stride + column;
    const float* scales = job.scales + column;
    const float row_scale = job.row_scales[row];
    for (std::int64_t n = 0; n < columns; ++n) {
        std::int32_t sum = sums[n];
        if constexpr (Offset != 0) sum -= Offset * job.column_sums[column + n];
        const float product = static_cast<float>(sum) * (row_scale * scales[n]);
        y[n] = job.options.accumulate ? y[n] + product : product;
    }
    if (job.options.bias)
        for (std::int64_t n = 0; n < columns; ++n) y[n] += job.options.bias[column + n];
    if (job.options.activation) job.options.activation(y, columns);
}

// Computes y for all rows and these panels. multiply(row, rows, p, panels, sums) computes the sums
// of one tile. A single row takes several panels at once, so that several streams of weights come
// from memory.
template <class Sums, std::int32_t Offset, class Multiply>
void integer_tiles(const IntegerJob& job, std::int64_t rows, Range panels, Multiply multiply) {
    constexpr int together = Sums::panels_of_one_row;
    std::int32_t sums[std::max(Sums::rows, together) * integer_panel];
    std::int64_t p = panels.begin;
    for (; rows == 1 && p + together <= panels.end; p += together) {
        multiply(0, 1, p, together, sums);
        finish<Offset>(job, 0, p * integer_panel, together * integer_panel, sums);
    }
    const std::int64_t tiles = (rows + Sums::rows - 1) / Sums::rows;
    for (; p < panels.end; ++p) {
        for (std::int64_t tile = 0; tile < tiles; ++tile) {
            const std::int64_t row = rows * tile / tiles, count = rows * (tile + 1) / tiles - row;
            multiply(row, count, p, 1, sums);
            for (std::int64_t r = 0; r < count; ++r)
                finish<Offset>(job, row + r, p * integer_panel, integer_panel,
                               sums + r * integer_panel);
        }
    }
}

}  // namespace tbt::kernel
