// Access to the columns of several matrices as if they were one matrix, side by side. Included by
// .cpp files of lib only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>

#include "lib/core/error.hpp"
#include "lib/core/simd.hpp"
#include "lib/kernels/packed_matrix.hpp"

namespace tbt::kernel {

// Pointers to the first elements of some columns. Within a column, elements are `step` apart.
template <class From, int most>
struct WeightColumns {
    const From* at[most];
    std::int64_t step;
};

// Columns first … first + count − 1 of the parts side by side.
template <class From, int most>
WeightColumns<From, most> weight_columns(std::span<const StoredView> parts, std::int64_t first,
                                         std::int64_t count) {
    WeightColumns<From, most> columns{{}, parts[0].row_stride};
    std::int64_t c = 0;
    for (const StoredView& part : parts) {
        for (; c < count && first + c < part.columns; ++c)
            columns.at[c] = static_cast<const From*>(part.data) + (first + c) * part.column_stride;
        first -= part.columns;
    }
    return columns;
}

// Writes these columns as floats, each contiguous: `columns` is (count, K). If the rows are
// contiguous, it takes blocks of 16 rows, so that it reads and writes whole cache lines.
template <class From, int most>
void widen_columns(std::span<const StoredView> parts, std::int64_t first, std::int64_t count,
                   float* columns) {
    const std::int64_t K = parts[0].rows;
    const auto from = weight_columns<From, most>(parts, first, count);
    if (from.step == 1) {
        for (std::int64_t c = 0; c < count; ++c)
            for (std::int64_t k = 0; k < K; ++k) columns[c * K + k] = simd::widened(from.at[c][k]);
        return;
    }
    bool in_a_row = true;
    for (std::int64_t c = 0; c < count; ++c) in_a_row &= from.at[c] == from.at[0] + c;
    constexpr std::int64_t block = 16;
    float wide[block][most];
    for (std::int64_t k = 0; k < K; k += block) {
        const std::int64_t rows = std::min(block, K - k);
        for (std::int64_t i = 0; i < rows; ++i) {
            const std::int64_t row = (k + i) * from.step;
            if (in_a_row)  // in vectors
                for (std::int64_t c = 0; c < count; ++c)
                    wide[i][c] = simd::widened(from.at[0][row + c]);
            else
                for (std::int64_t c = 0; c < count; ++c)
                    wide[i][c] = simd::widened(from.at[c][row]);
        }
        for (std::int64_t c = 0; c < count; ++c)
            for (std::int64_t i = 0; i < rows; ++i) columns[c * K + k + i] = wide[i][c];
    }
}

// The total number of columns. Throws Error if the parts cannot be joined to one matrix.
inline std::int64_t columns_side_by_side(std::span<const StoredView> parts) {
    if (parts.empty()) throw Error("matmul: no weights to pack, expected one matrix or more");
    std::int64_t columns = 0;
    for (const StoredView& part : parts) {
        if (part.rows != parts[0].rows || part.type != parts[0].type ||
            part.row_stride != parts[0].row_stride)
            throw Error("matmul: weights to pack side by side have shapes " +
                        to_string(Shape{parts[0].rows, parts[0].columns}) + " and " +
                        to_string(Shape{part.rows, part.columns}) +
                        ", expected the same rows, type and layout");
        columns += part.columns;
    }
    return columns;
}

}  // namespace tbt::kernel
