#include "lib/kernels/bf16_matrix.hpp"

#include <algorithm>
#include <bit>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"

namespace tbt {
namespace {

constexpr std::int64_t side = 16;   // rows and columns of a tile
constexpr std::int64_t depth = 32;  // k of a tile

std::int64_t blocks(std::int64_t n, std::int64_t size) { return (n + size - 1) / size; }

// As to_bf16() of half.hpp, but without a branch, and with the result in the upper 16 bits.
std::uint32_t rounded(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t nearest = bits + 0x7fffu + ((bits >> 16) & 1u);
    return (bits & 0x7fffffffu) > 0x7f800000u ? bits | 0x400000u : nearest;
}

std::uint32_t pair_of(float even, float odd) {
    return rounded(even) >> 16 | (rounded(odd) & 0xffff0000u);
}

// pair[i][j] gets elements (i, 2j) and (i, 2j + 1), which are neighbours in memory.
void pack_along(const float* from, std::int64_t stride, Bf16Tile& tile) {
    for (std::int64_t i = 0; i < side; ++i) {
        const float* row = from + i * stride;
        for (std::int64_t j = 0; j < side; ++j)
            tile.pair[i][j] = pair_of(row[2 * j], row[2 * j + 1]);
    }
}

// pair[i][j] gets elements (2i, j) and (2i + 1, j), from two rows.
void pack_across(const float* from, std::int64_t stride, Bf16Tile& tile) {
    for (std::int64_t i = 0; i < side; ++i) {
        const float *even = from + 2 * i * stride, *odd = even + stride;
        for (std::int64_t j = 0; j < side; ++j) tile.pair[i][j] = pair_of(even[j], odd[j]);
    }
}

void transpose(Bf16Tile& tile) {
    for (std::int64_t i = 0; i < side; ++i) {
        for (std::int64_t j = 0; j < i; ++j) std::swap(tile.pair[i][j], tile.pair[j][i]);
    }
}

// For less than a whole tile: a copy of `outer` lines with `inner` neighbouring elements each (both
// at most 32), padded with zeros.
struct Field {
    alignas(64) float value[depth][depth] = {};
    Field(const float* from, std::int64_t stride, std::int64_t outer, std::int64_t inner) {
        for (std::int64_t i = 0; i < outer; ++i) {
            for (std::int64_t j = 0; j < inner; ++j) value[i][j] = from[i * stride + j];
        }
    }
};

// Packs one tile that begins at `from`: 16 lines of 32 neighbours if `along`, or 32 lines of 16.
void pack_tile(const float* from, std::int64_t stride, std::int64_t outer, std::int64_t inner,
               bool along, bool turned, Bf16Tile& tile) {
    const std::int64_t lines = along ? side : depth, width = along ? depth : side;
    const auto pack = along ? pack_along : pack_across;
    if (outer >= lines && inner >= width) {
        pack(from, stride, tile);
    } else {
        const Field field(from, stride, std::min(outer, lines), std::min(inner, width));
        pack(field.value[0], depth, tile);
    }
    if (turned) transpose(tile);
}

void check_strides(const char* who, const MatrixView& v) {
    if (v.row_stride != 1 && v.column_stride != 1)
        throw Error(std::string(who) +
                    ": neither its rows nor its columns are contiguous, expected one of the two");
}

// Packs a matrix in blocks of 16 lines (rows of a left factor, columns of a right one) by 32 values
// of k. `line` and `step` are the strides from line to line and from k to k + 1.
void pack_blocks(const float* data, std::int64_t lines, std::int64_t k, std::int64_t line,
                 std::int64_t step, Range range, bool right, std::vector<Bf16Tile>& tiles) {
    const std::int64_t k_blocks = blocks(k, depth);
    const bool along = step == 1;  // the two elements of a pair are neighbours in memory
    const auto one = [&](std::int64_t i, std::int64_t j) {
        const float* from = data + i * side * line + j * depth * step;
        const std::int64_t left = lines - i * side, deep = k - j * depth;
        pack_tile(from, along ? line : step, along ? left : deep, along ? deep : left, along,
                  along == right, tiles[index(i * k_blocks + j)]);
    };
    // Pack the tiles in the order of the matrix in memory.
    if (along) {
        for (std::int64_t i = range.begin; i < range.end; ++i)
            for (std::int64_t j = 0; j < k_blocks; ++j) one(i, j);
    } else {
        for (std::int64_t j = 0; j < k_blocks; ++j)
            for (std::int64_t i = range.begin; i < range.end; ++i) one(i, j);
    }
}

}  // namespace

void Bf16Left::pack(const MatrixView& a) {
    check_strides("Bf16Left", a);
    m_ = a.rows;
    k_ = a.columns;
    const std::int64_t count = blocks(m_, side);
    const std::size_t needed = index(count * blocks(k_, depth));
    if (tiles_.size() < needed) tiles_.resize(needed);
    pack_blocks(a.data, m_, k_, a.row_stride, a.column_stride, {0, count}, false, tiles_);
}

const Bf16Tile* Bf16Left::row_block(std::int64_t i) const {
    return tiles_.data() + i * blocks(k_, depth);
}

void Bf16Right::reserve(std::int64_t k, std::int64_t n) {
    k_ = k;
    n_ = n;
    const std::size_t needed = index(blocks(n, side) * blocks(k, depth));
    if (tiles_.size() < needed) tiles_.resize(needed);
}

void Bf16Right::pack(const MatrixView& b, const Worker& worker) {
    check_strides("Bf16Right", b);
    if (b.rows != k_ || b.columns != n_) throw Error("Bf16Right: reserve() had another shape");
    pack_blocks(b.data, n_, k_, b.column_stride, b.row_stride, worker.share(blocks(n_, side), 1),
                true, tiles_);
}

const Bf16Tile* Bf16Right::column_block(std::int64_t i) const {
    return tiles_.data() + i * blocks(k_, depth);
}

}  // namespace tbt
