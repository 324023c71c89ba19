// Divides a matrix product among threads, and copies strided rows of x for the kernel.
#pragma once

#include <cstdint>

#include "lib/kernels/packed_matrix.hpp"
#include "lib/machine/threads.hpp"

namespace tbt::kernel {

// The part of y that one thread computes: rows × panels.
struct Part {
    Range rows, panels;
};

// The part of this thread. The threads form a grid of row and column ranges. Of all grids this
// takes the one whose largest part is smallest, and among these the one whose parts read the least
// data. So few rows are divided by columns, and many rows with few columns are divided by rows.
Part part_of(std::int64_t m, std::int64_t n, const Worker& worker);

// Copies a block of x, whose rows are not contiguous (x is a transposed view), to `to`: tile by
// tile, and each tile k-major.
void gather_rows(const MatrixView& x, Range rows, Range ks, float* to);

}  // namespace tbt::kernel
