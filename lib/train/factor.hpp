// The matrix products of training in one of two precisions: all in float32, or with both factors
// rounded to bfloat16 and the sums in float32 [Micikevicius et al. 2018, "Mixed Precision
// Training"; bfloat16 needs no scaling of the loss: Kalamkar et al. 2019]. The weights, their
// gradients and everything between the products stay float32.
#pragma once

#include <string>

#include "lib/kernels/bf16_matmul.hpp"
#include "lib/kernels/matmul.hpp"

namespace tbt::train {

enum class Precision { f32, bf16 };

// The precision with the name "f32" or "bf16"; throws Error for another name.
Precision precision_of(const std::string& name);
std::string name_of(Precision precision);

// The right factor of a product, packed for the kernels.
class Factor {
public:
    // Call reserve() first, on one thread. Then every thread of a team calls pack() and does its
    // part.
    void reserve(std::int64_t k, std::int64_t n, Precision precision);
    void pack(const MatrixView& w, const Worker& worker);

    // y = x · w, with the options of matmul(). Each thread needs its own `scratch`, for the rounded
    // x.
    void multiply(const MatrixView& x, float* y, std::int64_t y_stride, Bf16Left& scratch,
                  const MatmulOptions& options = {}) const;

private:
    Precision precision_ = Precision::f32;
    PackedMatrix exact_;
    Bf16Right rounded_;
};

}  // namespace tbt::train
