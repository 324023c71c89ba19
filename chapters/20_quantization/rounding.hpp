// Weights rounded in different ways, to see what each costs.
#pragma once

#include <string>
#include <vector>

#include "lib/kernels/tensor.hpp"

namespace tbt {

struct Rounding {
    std::string name;
    int bits = 8;
    // How many weights share a scale: of one column of a matrix, or `group` of them, or all.
    enum class Share { matrix, column, group } share = Share::column;
    int group = 32;
};

// A matrix (K, N) rounded and restored. Embeddings (ids, C) are rounded by rows: each id is a
// column of the output matrix.
Tensor rounded(const Tensor& w, const Rounding& how, bool embedding = false);

// 10 · log10(Σ w² / Σ (w − w')²), in dB: 6 more is half the error.
double signal_to_noise(const Tensor& w, const Tensor& restored);

// Bits a weight takes, with a scale of 16 bits for each share.
double bits_of(const Rounding& how, std::int64_t rows, std::int64_t columns);

}  // namespace tbt
