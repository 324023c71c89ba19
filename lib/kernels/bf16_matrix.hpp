// Matrices rounded to bfloat16 and packed in tiles, as the matrix units of today's processors read
// them (bf16_matmul.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "lib/kernels/packed_matrix.hpp"
#include "lib/machine/threads.hpp"

namespace tbt {

// 16 rows of 16 pairs of bfloat16: of a left factor 16 rows m by 32 k, of a right one 32 k by 16
// columns n. The lower half of a pair is the even k.
struct alignas(64) Bf16Tile {
    std::uint32_t pair[16][16];
};

// a (M, K), rounded, in tiles: row blocks of 16, each with its blocks of 32 k in order.
class Bf16Left {
public:
    void pack(const MatrixView& a);  // any strides, one of which is 1
    std::int64_t m() const { return m_; }
    std::int64_t k() const { return k_; }
    const Bf16Tile* row_block(std::int64_t i) const;

private:
    std::int64_t m_ = 0, k_ = 0;
    std::vector<Bf16Tile> tiles_;
};

// b (K, N), rounded, in tiles: column blocks of 16, each with its blocks of 32 k in order.
class Bf16Right {
public:
    // reserve() first, on one thread; then each thread of the team packs its share.
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
