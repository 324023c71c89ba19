// The products of training in either precision: float32 throughout, or with both factors rounded to
// bfloat16 and the sums in float32 [Micikevicius et al. 2018, "Mixed Precision Training"; bfloat16
// needs no scaling of the loss: Kalamkar et al. 2019]. The weights themselves, their gradients and
// everything between the products stay float32.
#pragma once

#include <string>

#include "lib/kernels/bf16_matmul.hpp"
#include "lib/kernels/matmul.hpp"

namespace tbt::train {

enum class Precision { f32, bf16 };

// "f32" or "bf16"; throws Error on anything else.
Precision precision_of(const std::string& name);
std::string name_of(Precision precision);

// The right factor of a product, packed for the kernels.
class Factor {
public:
    // reserve() first, on one thread; then each thread of the team packs its share.
    void reserve(std::int64_t k, std::int64_t n, Precision precision);
    void pack(const MatrixView& w, const Worker& worker);

    // y = x · w, or what the options say. `scratch` holds x, rounded; one a thread.
    void multiply(const MatrixView& x, float* y, std::int64_t y_stride, Bf16Left& scratch,
                  const MatmulOptions& options = {}) const;

private:
    Precision precision_ = Precision::f32;
    PackedMatrix exact_;
    Bf16Right rounded_;
};

}  // namespace tbt::train
