// A product shared out among threads, and rows of x gathered for the kernel.
#pragma once

#include <cstdint>

#include "lib/kernels/packed_matrix.hpp"
#include "lib/machine/threads.hpp"

namespace tbt::kernel {

// What one thread computes: rows × panels of y.
struct Part {
    Range rows, panels;
};

// Threads in a grid, the one whose largest part is the smallest, and among those the one whose
// parts read least: a few rows are split by columns, many rows and few columns by rows.
Part part_of(std::int64_t m, std::int64_t n, const Worker& worker);

// A block of x whose rows are not contiguous (x is a transposed view), tile by tile, each k-major.
void gather_rows(const MatrixView& x, Range rows, Range ks, float* to);

}  // namespace tbt::kernel
