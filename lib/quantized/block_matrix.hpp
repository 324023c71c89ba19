// Weights as the blocks of a quantised GGUF type (gguf_blocks.hpp), and their products with
// activations of 8 bits. The blocks keep all their bits, in an order that suits the product.
//
// A unit is as many k as a block has numbers. Each row of x has a scale for each unit:
//
//   s_u = max_{k in u} |x[k]| / 127,   q[k] = round(x[k] · (127 / max)),  ties to even
//   y[n] = Σ_u float(Σ_g scales[g] · Σ_{k in g} q[k] · (value(codes[k]) − offset)) · (d · s_u)
//            − float(Σ_g minima[g] · Σ_{k in g} q[k]) · (m · s_u)
//
// The sums within a unit are sums of integers, and the units are added in their order. So the bits
// of y do not depend on the instruction set, the number of rows or the number of threads.
// (chapters/20_quantization/plain_blocks.hpp is the definition.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "lib/kernels/packed_matrix.hpp"
#include "lib/quantized/gguf_blocks.hpp"

namespace tbt {

// A matrix in a file: its outputs, each a row of blocks with k numbers. The owners keep them.
struct BlockRows {
    const GgufBlock* type = nullptr;
    std::int64_t k = 0;
    std::vector<const std::byte*> rows = {};
    std::vector<std::shared_ptr<const void>> owners = {};

    // Writes row r as floats.
    void widen_row(std::int64_t r, float* to) const;
};

// A matrix w (K, N), packed in panels of 32 columns. A panel has, for each unit,
//   codes   of 8 bits: [k / 4][column][k % 4]; of 4 bits: the bytes [j][column][4] of each group,
//           with the codes of k = 4j + i in the low and of group / 2 + 4j + i in the high halves
//   scales  [group][column], bytes, if a unit has several groups
//   minima  the same, if the type has them
//   d, m    [column], floats
class BlockMatrix final : public QuantizedMatrix {
public:
    static constexpr int panel = 32;

    // Throws Error if a scale is not finite.
    BlockMatrix(const BlockRows& w, int threads);

    WeightType type() const override { return WeightType::blocks; }
    std::int64_t k() const override { return k_; }
    std::int64_t n() const override { return n_; }
    std::int64_t bytes() const override { return panels() * units() * unit_bytes_; }
    void multiply(const MatrixView& x, float* y, std::int64_t y_stride,
                  const MatmulOptions& options, const Worker& worker) const override;

    const GgufBlock& block() const { return *type_; }
    std::int64_t panels() const { return (n_ + panel - 1) / panel; }
    std::int64_t units() const { return k_ / type_->numbers; }
    int groups() const { return static_cast<int>(type_->numbers / type_->group); }  // of a unit
    bool has_scales() const { return groups() > 1; }
    const std::uint8_t* unit(std::int64_t p, std::int64_t u) const {
        return reinterpret_cast<const std::uint8_t*>(data_.get()) + (p * units() + u) * unit_bytes_;
    }
    std::int64_t code_bytes() const { return panel * type_->numbers * type_->bits / 8; }

private:
    bool pack_panel(const BlockRows& w, std::int64_t p);

    const GgufBlock* type_;
    std::int64_t k_, n_, unit_bytes_;
    AlignedFloats data_;
};

// Several matrices with the same K side by side, each of its own type.
class JoinedMatrix final : public QuantizedMatrix {
public:
    explicit JoinedMatrix(std::vector<PackedMatrix> parts);

    WeightType type() const override { return WeightType::blocks; }
    std::int64_t k() const override { return parts_.at(0).k(); }
    std::int64_t n() const override { return n_; }
    std::int64_t bytes() const override;
    void multiply(const MatrixView& x, float* y, std::int64_t y_stride,
                  const MatmulOptions& options, const Worker& worker) const override;

private:
    std::vector<PackedMatrix> parts_;
    std::int64_t n_ = 0;
};

}  // namespace tbt
