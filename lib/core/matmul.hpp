// The matrix product y = x · w (+ bias), on which a GPT spends most of its time.
//
// Weights are packed once into panels of 32 columns, so that a panel is read from its first byte to
// its last. Every element of y is a sum over the inner dimension K in the order k = 0, 1, 2, … with
// fused multiply-adds. It starts at 0 (or at the old value of y), and the bias is added last. This
// order does not depend on the number of rows, of threads or of SIMD lanes, so neither do the bits
// of y. (The engine's product in lib/kernels has the same bits, more types of weights, and is
// faster for many rows.)
#pragma once

#include <cstdint>
#include <vector>

#include "lib/core/tensor.hpp"

namespace tbt {

// A weight matrix w (K, N), packed, of floats or of 16-bit floats (half as many bytes to read).
class WeightMatrix {
public:
    WeightMatrix() = default;
    // Packs w. `transposed`: w is given as (N, K), as an embedding is. 16 bits: each number is
    // rounded. Throws Error unless w has two dimensions, or if a number becomes infinite.
    WeightMatrix(const Tensor& w, bool in_16_bits, bool transposed = false);

    std::int64_t k() const { return k_; }
    std::int64_t n() const { return n_; }
    bool in_16_bits() const { return in_16_bits_; }
    const float* floats() const { return floats_.data(); }
    const std::uint16_t* halves() const { return halves_.data(); }

private:
    std::int64_t k_ = 0, n_ = 0;
    bool in_16_bits_ = false;
    Tensor floats_;  // (panels, K, 32)
    std::vector<std::uint16_t> halves_;
};

struct MatmulSteps {
    const float* bias = nullptr;  // (N), added to every row at the end
    bool accumulate = false;      // y += x · w instead of y = x · w
    // Applied in place to n neighbouring elements of y after the bias; null: none.
    void (*activation)(float* y, std::int64_t n) = nullptr;
};

// y (R, N) = x (R, K) · w (K, N), computed by `threads` threads.
void matmul(const float* x, std::int64_t rows, const WeightMatrix& w, float* y,
            const MatmulSteps& steps, int threads);

}  // namespace tbt
