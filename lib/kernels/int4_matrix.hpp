// Weights in 4 bits with a step for each 32 of them, and products with exact integer sums ("W4A8").
//
//   column n of w:  S_n = max_k |w[k, n]| / (7 · 127)
//   group g of 32:  m_g = round(127 · max_{k in g} |w[k, n]| / max_k |w[k, n]|), 1 at least
//                   q_w = round(w · (1 / (S_n · m_g)))  in −7 … 7;  0 and m_g = 0 for zeros
//   row r of x:     s_r, q_x in 8 bits as in int8_matrix.hpp
//   y[r, n] = float(Σ_g m_g · Σ_{k in g} q_x · q_w) · (s_r · S_n)  (+ what y held)  (+ bias)
//
// The steps of the groups are whole multiples of one unit a column, so all sums are of whole
// numbers: the same bits on every machine. 4.25 bits a weight. The sum fits 32 bits for
// K <= 19,020 = ⌊(2^31 − 1) / (127 · 7 · 127)⌋.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lib/kernels/tensor.hpp"
#include "lib/machine/threads.hpp"

namespace tbt {

struct MatrixView;
struct StoredView;
struct MatmulOptions;

inline constexpr int int4_group = 32;

// Rounds a column of n numbers to q (n), with multipliers m (one a group); returns the unit S.
// 0 for zeros, or where 1 / S is no number; NaN where a number is not finite.
float quantize_groups(const float* w, std::int64_t n, std::int8_t* q, std::uint8_t* m);

// A matrix in 4 bits as files hold it (int4_file.hpp): a byte holds q + 8 of rows 2i and 2i + 1.
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

// w (K, N), quantised by columns. Panels of 32 columns, in each the k by groups of 32:
// codes [group][4][column][4], a byte with k (low half) and k + 4 of an eighth of the group;
// multipliers [group][column]. Errors: K is too large; a weight is not finite.
class Int4Matrix {
public:
    static constexpr int panel = 32, group = int4_group;
    static constexpr std::int64_t most_k = 19020;
    static constexpr std::int64_t group_bytes = panel * group / 2;

    explicit Int4Matrix(const StoredView& w, int threads = 1);
    Int4Matrix(std::span<const StoredView> parts, int threads);  // side by side
    Int4Matrix(const Int4Codes& w, int threads);                 // as they are

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
    // Column c of panel p: q (K), m (one a group).
    void put(std::int64_t p, std::int64_t c, const std::int8_t* q, const std::uint8_t* m);
    template <class From>
    void pack_panel(std::span<const StoredView> parts, std::int64_t p, float* columns,
                    std::int8_t* q, std::uint8_t* m);

    std::int64_t k_ = 0, n_ = 0;
    AlignedFloats codes_;
    std::vector<std::uint8_t> multipliers_;
    std::vector<float> scales_;
};

// y (M, N) = x (M, K) · w, as matmul() in matmul.hpp: called by every thread of a team.
void int4_matmul(const MatrixView& x, const Int4Matrix& w, float* y, std::int64_t y_stride,
                 const MatmulOptions& options, const Worker& worker);

}  // namespace tbt
