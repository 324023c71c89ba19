#include "lib/kernels/bf16_matmul.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/core/simd.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif
#if defined(__AMX_BF16__) && defined(__linux__)
#define TBT_AMX
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace tbt {
namespace {

using simd::Lanes;
constexpr std::int64_t side = 16, depth = 32;
static_assert(simd::lane_count == side);

// While an object of this class lives, subnormal numbers count as 0, in operands and in results.
class NoSubnormals {
public:
#if defined(__x86_64__)
    NoSubnormals() : before_(_mm_getcsr()) { _mm_setcsr(before_ | 0x8040u); }
    ~NoSubnormals() { _mm_setcsr(before_); }

private:
    unsigned before_;
#elif defined(__aarch64__)
    NoSubnormals() {
        asm volatile("mrs %0, fpcr" : "=r"(before_));
        asm volatile("msr fpcr, %0" : : "r"(before_ | (1ull << 24)));
    }
    ~NoSubnormals() { asm volatile("msr fpcr, %0" : : "r"(before_)); }

private:
    unsigned long long before_ = 0;
#endif
};

void check_inner(const Bf16Left& a, const Bf16Right& b) {
    if (a.k() != b.k()) {
        throw Error("bf16_matmul: a has " + std::to_string(a.k()) + " columns and b " +
                    std::to_string(b.k()) + " rows, expected the same");
    }
}

void add_bias(std::int64_t M, std::int64_t N, const float* bias, float* y, std::int64_t y_stride) {
    for (std::int64_t m = 0; m < M; ++m) {
        for (std::int64_t n = 0; n < N; ++n) y[m * y_stride + n] += bias[n];
    }
}

// A block of y of the size of a tile. At the edges of the matrix only rows × columns of it exist.
struct Block {
    float* y;
    std::int64_t y_stride, rows, columns;
    bool whole() const { return rows >= side && columns >= side; }
};

struct Floats {
    alignas(64) float value[side][side] = {};
    float* row(std::int64_t i) { return value[i]; }
};

void copy(const float* from, std::int64_t from_stride, float* to, std::int64_t to_stride,
          const Block& b) {
    for (std::int64_t r = 0; r < std::min(side, b.rows); ++r) {
        for (std::int64_t c = 0; c < std::min(side, b.columns); ++c)
            to[r * to_stride + c] = from[r * from_stride + c];
    }
}

// The even and the odd values of a tile, as floats.
struct Widened {
    Floats even, odd;
    explicit Widened(const Bf16Tile& tile) {
        for (std::int64_t i = 0; i < side; ++i) {
            for (std::int64_t j = 0; j < side; ++j) {
                even.value[i][j] = std::bit_cast<float>(tile.pair[i][j] << 16);
                odd.value[i][j] = std::bit_cast<float>(tile.pair[i][j] & 0xffff0000u);
            }
        }
    }
};

void multiply_add(const Widened& a, const Widened& b, Floats& y) {
    constexpr int rows = simd::batch_count == 1 ? 8 : 2;  // as many as fit into the registers
    for (std::int64_t m = 0; m < side; m += rows) {
        Lanes even[rows], odd[rows];
        for (int r = 0; r < rows; ++r) even[r] = odd[r] = Lanes::zero();
        for (std::int64_t k = 0; k < side; ++k) {
            const Lanes b_even = Lanes::load(b.even.value[k]), b_odd = Lanes::load(b.odd.value[k]);
            for (int r = 0; r < rows; ++r) {
                even[r] = fma(Lanes::all(a.even.value[m + r][k]), b_even, even[r]);
                odd[r] = fma(Lanes::all(a.odd.value[m + r][k]), b_odd, odd[r]);
            }
        }
        for (int r = 0; r < rows; ++r)
            (Lanes::load(y.row(m + r)) + (even[r] + odd[r])).store(y.row(m + r));
    }
}

}  // namespace

void bf16_matmul_portable(const Bf16Left& a, const Bf16Right& b, float* y, std::int64_t y_stride,
                          const MatmulOptions& options) {
    check_inner(a, b);
    const std::int64_t k_blocks = (a.k() + depth - 1) / depth;
    {
        const NoSubnormals mode;
        std::vector<Widened> column;
        for (std::int64_t n = 0; n < b.n(); n += side) {
            const Bf16Tile* right = b.column_block(n / side);
            column.clear();
            for (std::int64_t k = 0; k < k_blocks; ++k) column.emplace_back(right[k]);
            for (std::int64_t m = 0; m < a.m(); m += side) {
                const Block block{y + m * y_stride + n, y_stride, a.m() - m, b.n() - n};
                const Bf16Tile* left = a.row_block(m / side);
                Floats sum;
                if (options.accumulate) copy(block.y, y_stride, sum.row(0), side, block);
                for (std::int64_t k = 0; k < k_blocks; ++k)
                    multiply_add(Widened(left[k]), column[index(k)], sum);
                copy(sum.row(0), side, block.y, y_stride, block);
            }
        }
    }
    if (options.bias) add_bias(a.m(), b.n(), options.bias, y, y_stride);
}

#if defined(TBT_AMX)

namespace {

// Asks Linux for permission to use the tile registers [Documentation/arch/x86/xstate.rst].
bool lent() {
    constexpr int request_permission = 0x1023, tile_data = 18;
    return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
}

// Configures the eight tile registers, each with 16 rows of 64 bytes; the destructor releases them.
class Tiles {
public:
    Tiles() {
        struct alignas(64) Shape {
            std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
            std::uint16_t bytes[16] = {};
            std::uint8_t rows[16] = {};
        } shape;
        std::fill_n(shape.bytes, 8, std::uint16_t{64});
        std::fill_n(shape.rows, 8, std::uint8_t{16});
        _tile_loadconfig(&shape);
    }
    ~Tiles() { _tile_release(); }
    Tiles(const Tiles&) = delete;
    Tiles& operator=(const Tiles&) = delete;
};

// The memory from which a tile of y is loaded and to which it is stored: y itself, or a copy at the
// edges of y.
class Target {
public:
    Target(const Block& block, bool accumulate) : block_(block) {
        if (!block.whole() && accumulate) copy(block.y, block.y_stride, edge_[0], side, block);
    }
    float* place() { return block_.whole() ? block_.y : edge_[0]; }
    std::int64_t stride() const { return block_.whole() ? block_.y_stride * 4 : side * 4; }
    void finish() const {
        if (!block_.whole()) copy(edge_[0], side, block_.y, block_.y_stride, block_);
    }

private:
    Block block_;
    alignas(64) float edge_[side][side];  // the values outside of y have no meaning
};

// Computes R by S tiles of y at once, so that each loaded tile of a is used S times and each of b R
// times. The sums are in tile registers 0 to 3, a in 4 and 5, b in 6 and 7.
template <int R, int S>
void multiply_tiles(const Bf16Left& a, const Bf16Right& b, std::int64_t m, std::int64_t n, float* y,
                    std::int64_t y_stride, bool accumulate) {
    const auto block = [&](int r, int s) {
        return Block{y + (m + r * side) * y_stride + n + s * side, y_stride, a.m() - m - r * side,
                     b.n() - n - s * side};
    };
    Target y00(block(0, 0), accumulate), y01(block(0, S - 1), accumulate && S == 2),
        y10(block(R - 1, 0), accumulate && R == 2),
        y11(block(R - 1, S - 1), accumulate && R == 2 && S == 2);
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    if (accumulate) {
        _tile_loadd(0, y00.place(), y00.stride());
        if constexpr (S == 2) _tile_loadd(1, y01.place(), y01.stride());
        if constexpr (R == 2) _tile_loadd(2, y10.place(), y10.stride());
        if constexpr (R == 2 && S == 2) _tile_loadd(3, y11.place(), y11.stride());
    }
    const std::int64_t k_blocks = (a.k() + depth - 1) / depth;
    const Bf16Tile *a0 = a.row_block(m / side), *b0 = b.column_block(n / side);
    const Bf16Tile *a1 = a0 + k_blocks, *b1 = b0 + k_blocks;
    for (std::int64_t k = 0; k < k_blocks; ++k) {
        _tile_loadd(4, a0 + k, 64);
        _tile_loadd(6, b0 + k, 64);
        _tile_dpbf16ps(0, 4, 6);
        if constexpr (S == 2) {
            _tile_loadd(7, b1 + k, 64);
            _tile_dpbf16ps(1, 4, 7);
        }
        if constexpr (R == 2) {
            _tile_loadd(5, a1 + k, 64);
            _tile_dpbf16ps(2, 5, 6);
        }
        if constexpr (R == 2 && S == 2) _tile_dpbf16ps(3, 5, 7);
    }
    _tile_stored(0, y00.place(), y00.stride());
    y00.finish();
    if constexpr (S == 2) {
        _tile_stored(1, y01.place(), y01.stride());
        y01.finish();
    }
    if constexpr (R == 2) {
        _tile_stored(2, y10.place(), y10.stride());
        y10.finish();
    }
    if constexpr (R == 2 && S == 2) {
        _tile_stored(3, y11.place(), y11.stride());
        y11.finish();
    }
}

}  // namespace

bool has_matrix_unit() {
    static const bool here = lent();
    return here;
}

void bf16_matmul(const Bf16Left& a, const Bf16Right& b, float* y, std::int64_t y_stride,
                 const MatmulOptions& options) {
    if (!has_matrix_unit()) return bf16_matmul_portable(a, b, y, y_stride, options);
    check_inner(a, b);
    const bool more = options.accumulate;
    {
        const Tiles tiles;
        for (std::int64_t n = 0; n < b.n(); n += 2 * side) {
            const bool two = b.n() - n > side;
            std::int64_t m = 0;
            for (; a.m() - m > side; m += 2 * side) {
                if (two) multiply_tiles<2, 2>(a, b, m, n, y, y_stride, more);
                else multiply_tiles<2, 1>(a, b, m, n, y, y_stride, more);
            }
            if (m >= a.m()) continue;
            if (two) multiply_tiles<1, 2>(a, b, m, n, y, y_stride, more);
            else multiply_tiles<1, 1>(a, b, m, n, y, y_stride, more);
        }
    }
    if (options.bias) add_bias(a.m(), b.n(), options.bias, y, y_stride);
}

#else

bool has_matrix_unit() { return false; }

void bf16_matmul(const Bf16Left& a, const Bf16Right& b, float* y, std::int64_t y_stride,
                 const MatmulOptions& options) {
    bf16_matmul_portable(a, b, y, y_stride, options);
}

#endif

}  // namespace tbt
