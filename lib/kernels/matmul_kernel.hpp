// The micro-kernel of matmul: it computes a tile of y, a few rows by one panel of columns, whose
// sums stay in registers during the whole loop over k.
//
// For every k, the panel's row w[k, ·] is loaded into `Vectors` registers, each x[r, k] is
// broadcast, and each of the Rows · Vectors sums gets one fused multiply-add. One load serves Rows
// sums and one broadcast serves Vectors sums, so the multipliers are the limit, not the loads. They
// need about eight independent sums to stay busy (latency 4 cycles, two per cycle). With few rows,
// several panels are therefore read side by side, which also uses more of the memory system.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "lib/core/index.hpp"
#include "lib/core/simd.hpp"
#include "lib/kernels/bf16.hpp"
#include "lib/kernels/packed_matrix.hpp"
#include "lib/kernels/weight_type.hpp"
#ifdef __wasm_simd128__
#include "lib/kernels/wasm/try_row.hpp"
#endif

namespace tbt::kernel {

using simd::Batch;
inline constexpr int batch = simd::batch_size;

// The largest tile that fits the registers: AVX-512 and NEON have 32 (24 sums),
// AVX2 has 16 (12 sums).
#if defined(__AVX512F__)
inline constexpr int tile_rows = 8, tile_vectors = 3;
#elif defined(__AVX2__)
inline constexpr int tile_rows = 6, tile_vectors = 2;
#else
inline constexpr int tile_rows = 6, tile_vectors = 4;
#endif
inline constexpr int panel = tile_vectors * batch;  // the columns of w in a panel

using simd::BF16;
using simd::F16;
using simd::load;
using simd::store;

inline Batch load(const float* p) { return Batch::load_aligned(p); }
inline void store(const Batch& values, float* p) { values.store_aligned(p); }

// ---- the packed layout ----

// The type in which weights are packed. WebAssembly has no instruction that converts 16-bit floats,
// so there they are converted to float once.
constexpr WeightType storage_type([[maybe_unused]] WeightType type) {
#if defined(__wasm_simd128__)
    return WeightType::f32;
#else
    return type;
#endif
}

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
constexpr std::int64_t panel_count(std::int64_t n) { return ceil_div(n, panel); }

// The number of registers for a row of panel p. Only the last panel may have fewer than
// tile_vectors.
constexpr int panel_vectors(std::int64_t p, std::int64_t n) {
    const std::int64_t rest = ceil_div(n - p * panel, batch);
    return rest < tile_vectors ? to_int(rest) : tile_vectors;
}

// ---- the tile ----

struct Tile {
    const float* x;  // x[r, k] is x[r · x_row + k · x_step]
    std::int64_t x_row, x_step;
    const void* w;         // w[k, n] of the p-th panel is element p · w_panel + k · width + n
    std::int64_t w_panel;  // width: of a whole panel, or of the narrower last one
    std::int64_t k;
    float* y;
    std::int64_t y_row;
    const float* bias;           // nullptr: none
    bool add;                    // continue the sums that y holds
    const void* next = nullptr;  // with Prefetch: the weights that will be read next
    Magnitudes weights = {};     // those of w, if PackedMatrix has them
};

// With few rows, the speed of memory is the limit. The hardware prefetches each stream of addresses
// only to the end of its page; four streams read in turn keep it busy.
#if defined(__wasm_simd128__)
inline constexpr int streams = 1;  // there are registers for one only
#else
inline constexpr int streams = 4;
#endif

// Forces GCC to load the panel's floats into registers once and use them for several rows of x. For
// AMD's Zen it would otherwise repeat the load in each multiplication, and then the loads are the
// limit. With more than eight sums GCC does so only when the registers are full.
template <class Element, int Rows, int Columns>
void keep_loaded([[maybe_unused]] Batch (&row)[Columns]) {
#if defined(__AVX2__) && !defined(__AVX512F__)
    if constexpr (std::is_same_v<Element, float> && Rows > 1 && Rows * Columns <= 8)
        for (Batch& values : row) __asm__("" : "+x"(values.data));
#endif
}

// y[r, n] = Σ_k x[r, k] · w[k, n], k = 0, 1, 2, …
template <class Element, int Rows, int Panels, int Vectors, bool Prefetch>
void multiply(const Tile& t) {
    constexpr int columns = Panels * Vectors, width = Vectors * batch;
    Batch sum[Rows][columns];
    if (t.add) {
        for (int r = 0; r < Rows; ++r) {
            for (int c = 0; c < columns; ++c)
                sum[r][c] = Batch::load_unaligned(t.y + r * t.y_row + c * batch);
        }
    } else {
        for (int r = 0; r < Rows; ++r) {
            for (int c = 0; c < columns; ++c) sum[r][c] = Batch(0.0f);
        }
    }
    const float* x = t.x;
    const auto *w = static_cast<const Element*>(t.w), *next = static_cast<const Element*>(t.next);
    const std::int64_t x_row = t.x_row, x_step = t.x_step, w_panel = t.w_panel;
    const auto step = [&]() __attribute__((always_inline)) {
        Batch row[columns];
        for (int c = 0; c < columns; ++c)
            row[c] = load(w + (c / Vectors) * w_panel + (c % Vectors) * batch);
        keep_loaded<Element, Rows>(row);
        for (int r = 0; r < Rows; ++r) {
            const Batch a(x[r * x_row]);
            for (int c = 0; c < columns; ++c) sum[r][c] = simd::fma(a, row[c], sum[r][c]);
        }
        x += x_step;
        w += width;
    };
    const auto prefetch = [&]() __attribute__((always_inline)) {
        if constexpr (Prefetch) {
            for (int p = 0; p < Panels; ++p) {
                for (int byte = 0; byte < width * to_int(sizeof(Element)); byte += 64) {
                    __builtin_prefetch(reinterpret_cast<const char*>(next + p * w_panel) + byte);
                }
            }
            next += width;
        }
    };
    std::int64_t k = t.k;
    if constexpr (Panels == 1) {
        for (; k >= 4; k -= 4) {
#pragma GCC unroll 4
            for (int u = 0; u < 4; ++u) step(), prefetch();
        }
    }
    for (; k > 0; --k) step(), prefetch();
    if (t.bias) {
        for (int r = 0; r < Rows; ++r) {
            for (int c = 0; c < columns; ++c)
                sum[r][c] = sum[r][c] + Batch::load_unaligned(t.bias + c * batch);
        }
    }
    for (int r = 0; r < Rows; ++r) {
        for (int c = 0; c < columns; ++c) sum[r][c].store_unaligned(t.y + r * t.y_row + c * batch);
    }
}

using Kernel = void (*)(const Tile&);

#if defined(__wasm_simd128__)
// Row by row, by the fast path of try_row.hpp if it is exact for the row, otherwise by multiply().
// All weights are floats here (storage_type).
template <class Element, int Rows, int Panels, int Vectors, bool Prefetch>
void run(const Tile& t) {
    static_assert(Panels == 1);
    if constexpr (std::is_same_v<Element, float>) {
        for (int r = 0; r < Rows; ++r) {
            Tile row = t;
            row.x += r * t.x_row, row.y += r * t.y_row;
            if (!wasm::try_row<Vectors>(row.x, row.x_step, static_cast<const float*>(row.w),
                                        row.weights, row.k, row.y, row.bias, row.add))
                multiply<float, 1, 1, Vectors, false>(row);
        }
    }
}
#else
template <class Element, int Rows, int Panels, int Vectors, bool Prefetch>
inline constexpr Kernel run = multiply<Element, Rows, Panels, Vectors, Prefetch>;
#endif

// The kernel for `rows` rows and `Panels` whole panels side by side. `rows` is small enough for the
// registers.
template <class Element, int Panels>
Kernel streaming(int rows) {
    static constexpr auto table = []<int... R>(std::integer_sequence<int, R...>) {
        return std::array<Kernel, sizeof...(R)>{run<Element, R + 1, Panels, tile_vectors, true>...};
    }
    (std::make_integer_sequence<int, tile_rows / Panels>());
    return table[index(rows - 1)];
}

// The kernel for `rows` rows and one panel of `vectors` registers, which is a whole panel or the
// last one.
template <class Element, bool Prefetch>
Kernel single(int rows, int vectors) {
    static constexpr auto table = []<int... I>(std::integer_sequence<int, I...>) {
        return std::array<Kernel, tile_rows * tile_vectors>{
            run<Element, I / tile_vectors + 1, 1, I % tile_vectors + 1, Prefetch>...};
    }
    (std::make_integer_sequence<int, tile_rows * tile_vectors>());
    return table[index((rows - 1) * tile_vectors + vectors - 1)];
}

}  // namespace tbt::kernel
