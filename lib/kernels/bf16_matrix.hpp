// Matrices rounded to bfloat16 and packed in tiles, as the matrix units of today's processors read
// them (bf16_matmul.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "lib/kernels/packed_matrix.hpp"
#include "lib/machine/threads.hpp"

namespace tbt {

// 16 rows of 16 pairs of bfloat16. A tile of a left factor has 16 rows m and 32 values of k; a tile
// of a right factor has 32 values of k and 16 columns n. The lower half of a pair is the even k.
struct alignas(64) Bf16Tile {
    std::uint32_t pair[16][16];
};

// A left factor a (M, K), rounded, in tiles: blocks of 16 rows, each with its tiles in order of k.
class Bf16Left {
public:
    void pack(const MatrixView& a);  // one of its strides must be 1
    std::int64_t m() const { return m_; }
    std::int64_t k() const { return k_; }
    const Bf16Tile* row_block(std::int64_t i) const;

private:
    std::int64_t m_ = 0, k_ = 0;
    std::vector<Bf16Tile> tiles_;
};

// A right factor b (K, N), rounded, in tiles: blocks of 16 columns, each with its tiles in order of
// k.
class Bf16Right {
public:
    // Call reserve() first, on one thread. Then every thread of a team calls pack() and does its
    // part.
    void reserve(std::int64_t k, std::int64_t n);
    void pack(const MatrixView& b, const Worker& worker);
    std::int64_t k() const { return k_; }
    std::int64_t n() const { return n_; }
    const Bf16Tile* column_block(std::int64_t i) const;

private:
    std::int64_t k_ = 0, n_ = 0;
    std::vector<Bf16Tile> tiles_;
};

}  // namespace tbt
