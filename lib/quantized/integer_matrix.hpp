// Weights quantised to 8 or to 4 bits, and their products with activations of 8 bits, with exact
// integer sums. Integers have the same sum in any order. So the bits of y do not depend on the
// instruction set, the number of rows or the number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lib/core/tensor.hpp"
#include "lib/kernels/packed_matrix.hpp"
#include "lib/machine/threads.hpp"

namespace tbt {

// Packs matrices with the same K, type and layout side by side, as one matrix of any type. Throws
// Error if a matrix has too many rows for 8 or 4 bits, or a weight that is not finite.
PackedMatrix pack_weights(std::span<const StoredView> parts, WeightType type, int threads = 1);
PackedMatrix pack_weights(const StoredView& w, WeightType type, int threads = 1);

// The common part of the two matrices below.
class IntegerMatrix : public QuantizedMatrix {
public:
    static constexpr int panel = 32;  // columns

    std::int64_t k() const override { return k_; }
    std::int64_t n() const override { return n_; }
    std::int64_t panels() const { return (n_ + panel - 1) / panel; }
    std::span<const float> scales() const { return scales_; }  // (panels · 32)

protected:
    IntegerMatrix(std::int64_t k, std::int64_t n) : k_(k), n_(n) {}

    std::int64_t k_, n_;
    AlignedFloats codes_;
    std::vector<float> scales_;
};

// ---- 8 bits -------------------------------------------------------------------------------------
// "W8A8":
//
//   column n of w:  s_n = max_k |w[k, n]| / 127,   q_w = round(w · (127 / max))   in −127 … 127
//   row r of x:     s_r = max_k |x[r, k]| / 127,   q_x = round(x · (127 / max)),  ties to even
//   y[r, n] = float(Σ_k q_x · q_w) · (s_r · s_n)  (+ the old y)  (+ bias)
//
// The sum fits into 32 bits for K <= 133,144 = ⌊2^31 / 127²⌋.

// Quantises n numbers x[0], x[stride], … to the codes q (n) and returns their scale. It is 0 if all
// numbers are 0 or so small that 1 / scale is not finite. It is NaN if a number is not finite; then
// the products with this row are NaN, too.
float quantize_row(const float* x, std::int64_t n, std::int64_t stride, std::int8_t* q);

// A matrix of 8 bits in the layout of files (stored_integers.hpp): w[k, n] = scales[n] · q[k, n].
struct Int8Codes {
    std::int64_t rows = 0, columns = 0;  // K, N
    std::span<const std::int8_t> q;      // (K, N), or transposed (N, K); −127 … 127
    Tensor scales;                       // (N), finite, not negative
    bool transposed = false;             // as embeddings are, whose rows are columns of the output
};

// A matrix w (K, N) in 8 bits, packed in panels of 32 columns. The codes of a panel are
// [k / 4][column][k % 4], padded with zeros. The constructors throw Error if K > max_rows or a
// weight is not finite.
class Int8Matrix final : public IntegerMatrix {
public:
    static constexpr int group = 4;
    static constexpr std::int64_t max_rows = 133144;

    Int8Matrix(std::span<const StoredView> parts, int threads);  // several matrices side by side
    Int8Matrix(const Int8Codes& w, int threads);                 // already quantised

    WeightType type() const override { return WeightType::int8; }
    std::int64_t bytes() const override;
    bool column(std::int64_t n, float* to) const override;  // s_n · q_w
    void multiply(const MatrixView& x, float* y, std::int64_t y_stride,
                  const MatmulOptions& options, const Worker& worker) const override;
    std::int64_t groups() const { return (k_ + group - 1) / group; }
    const std::int8_t* codes(std::int64_t p) const {
        return reinterpret_cast<const std::int8_t*>(codes_.get()) + p * groups() * panel * group;
    }

private:
    void reserve();

    std::vector<std::int32_t> sums_;  // Σ_k q_w of each column
};

// ---- 4 bits in groups of 32 ---------------------------------------------------------------------
// "W4A8":
//
//   column n of w:  S_n = max_k |w[k, n]| / (7 · 127)
//   group g of 32:  m_g = round(127 · max_{k in g} |w[k, n]| / max_k |w[k, n]|), 1 at least
//                   q_w = round(w · (1 / (S_n · m_g)))  in −7 … 7;  0 and m_g = 0 for zeros
//   row r of x:     s_r, q_x in 8 bits as above
//   y[r, n] = float(Σ_g m_g · Σ_{k in g} q_x · q_w) · (s_r · S_n)  (+ the old y)  (+ bias)
//
// The scale of a group is an integer multiple m_g of the column's unit S_n. So all sums are sums of
// integers, with the same bits on every machine. A weight takes 4.25 bits. The sum fits into 32
// bits for K <= 19,020 = ⌊(2^31 − 1) / (127 · 7 · 127)⌋.

inline constexpr int int4_group = 32;

// A matrix of 4 bits in the layout of files (stored_integers.hpp): a byte has q + 8 of two rows.
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

// A matrix w (K, N) in 4 bits, packed in panels of 32 columns. A panel has
//   codes        [group][4][column][4]: byte [g][e][c][i] has the codes of k = 32g + 8e + i (low
//                4 bits) and of k + 4 (high 4 bits)
//   multipliers  [group][column]
// The constructors throw Error if K > max_rows or a weight is not finite.
class Int4Matrix final : public IntegerMatrix {
public:
    static constexpr int group = int4_group;
    static constexpr std::int64_t max_rows = 19020;
    static constexpr std::int64_t group_bytes = panel * group / 2;

    Int4Matrix(std::span<const StoredView> parts, int threads);  // several matrices side by side
    Int4Matrix(const Int4Codes& w, int threads);                 // already quantised

    WeightType type() const override { return WeightType::int4; }
    std::int64_t bytes() const override;
    void multiply(const MatrixView& x, float* y, std::int64_t y_stride,
                  const MatmulOptions& options, const Worker& worker) const override;
    std::int64_t groups() const { return (k_ + group - 1) / group; }
    const std::uint8_t* codes(std::int64_t p) const {
        return reinterpret_cast<const std::uint8_t*>(codes_.get()) + p * groups() * group_bytes;
    }
    const std::uint8_t* multipliers(std::int64_t p) const {
        return multipliers_.data() + p * groups() * panel;
    }

private:
    void reserve();
    void copy_panel(const Int4Codes& w, std::int64_t p);
    // Stores column c of panel p: the codes q (K, then zeros up to a whole group), and the
    // multipliers m, one for each group.
    void put(std::int64_t p, std::int64_t c, const std::int8_t* q, const std::uint8_t* m);

    std::vector<std::uint8_t> multipliers_;
};

}  // namespace tbt
