// Weights quantised to 4 bits in groups of 32, and their products with activations of 8 bits, with
// exact integer sums ("W4A8").
//
//   column n of w:  S_n = max_k |w[k, n]| / (7 · 127)
//   group g of 32:  m_g = round(127 · max_{k in g} |w[k, n]| / max_k |w[k, n]|), 1 at least
//                   q_w = round(w · (1 / (S_n · m_g)))  in −7 … 7;  0 and m_g = 0 for zeros
//   row r of x:     s_r, q_x in 8 bits as in int8_matrix.hpp
//   y[r, n] = float(Σ_g m_g · Σ_{k in g} q_x · q_w) · (s_r · S_n)  (+ the old y)  (+ bias)
//
// The scale of a group is an integer multiple m_g of the column's unit S_n. So all sums are sums of
// integers, with the same bits on every machine. A weight takes 4.25 bits. The sum fits into 32
// bits for K <= 19,020 = ⌊(2^31 − 1) / (127 · 7 · 127)⌋.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lib/core/tensor.hpp"
#include "lib/machine/threads.hpp"

namespace tbt {

struct MatrixView;
struct StoredView;
struct MatmulOptions;

inline constexpr int int4_group = 32;

// Quantises a column of n numbers to the codes q (n) and multipliers m (one for each group).
// Returns the unit S: 0 if all numbers are 0 or so small that 1 / S is not finite, NaN if a number
// is not finite.
float quantize_groups(const float* w, std::int64_t n, std::int8_t* q, std::uint8_t* m);

// A matrix of 4 bits in the layout of files (int4_file.hpp): a byte has q + 8 of two rows.
struct Int4Codes {
    std::int64_t rows = 0, columns = 0;         // K, N
    std::span<const std::uint8_t> codes;        // (⌈K/2⌉, N)
    std::span<const std::uint8_t> multipliers;  // (⌈K/32⌉, N)
    Tensor units;                               // (N)

    int code(std::int64_t k, std::int64_t n) const {
        return (codes[index(k / 2 * columns + n)] >> k % 2 * 4 & 15) - 8;
    }
    int multiplier(std::int64_t k, std::int64_t n) const {
        return multipliers[index(k / int4_group * columns + n)];
    }
};

// A matrix w (K, N) in 4 bits, packed for int4_matmul() in panels of 32 columns. A panel has
//   codes        [group][4][column][4]: byte [g][e][c][i] has the codes of k = 32g + 8e + i (low
//                4 bits) and of k + 4 (high 4 bits)
//   multipliers  [group][column]
// The constructors throw Error if K > max_rows or a weight is not finite.
class Int4Matrix {
public:
    static constexpr int panel = 32, group = int4_group;
    static constexpr std::int64_t max_rows = 19020;
    static constexpr std::int64_t group_bytes = panel * group / 2;

    explicit Int4Matrix(const StoredView& w, int threads = 1);
    Int4Matrix(std::span<const StoredView> parts, int threads);  // several matrices side by side
    Int4Matrix(const Int4Codes& w, int threads);                 // already quantised

    std::int64_t k() const { return k_; }
    std::int64_t n() const { return n_; }
    std::int64_t bytes() const;
    std::int64_t groups() const { return (k_ + group - 1) / group; }
    std::int64_t panels() const { return (n_ + panel - 1) / panel; }
    const std::uint8_t* codes(std::int64_t p) const {
        return reinterpret_cast<const std::uint8_t*>(codes_.get()) + p * groups() * group_bytes;
    }
    const std::uint8_t* multipliers(std::int64_t p) const {
        return multipliers_.data() + p * groups() * panel;
    }
    std::span<const float> scales() const { return scales_; }  // (panels · 32) the units S

private:
    void reserve();
    void copy_panel(const Int4Codes& w, std::int64_t p);
    // Stores column c of panel p: the codes q (K, then zeros up to a whole group), and the
    // multipliers m, one for each group.
    void put(std::int64_t p, std::int64_t c, const std::int8_t* q, const std::uint8_t* m);
    template <class From>
    void pack_panel(std::span<const StoredView> parts, std::int64_t p, float* columns,
                    std::int8_t* q, std::uint8_t* m);

    std::int64_t k_ = 0, n_ = 0;
    AlignedFloats codes_;
    std::vector<std::uint8_t> multipliers_;
    std::vector<float> scales_;
};

// y (M, N) = x (M, K) · w. Every thread of a team calls this, as matmul() in matmul.hpp.
void int4_matmul(const MatrixView& x, const Int4Matrix& w, float* y, std::int64_t y_stride,
                 const MatmulOptions& options, const Worker& worker);

}  // namespace tbt
