// Rounds weights in different ways, to compare their losses.
#pragma once

#include <string>
#include <vector>

#include "lib/core/tensor.hpp"

namespace tbt {

struct Rounding {
    std::string name;
    int bits = 8;
    // Which weights share a scale: all of a matrix, those of a column, or every `group` of a
    // column.
    enum class Share { matrix, column, group } share = Share::column;
    int group = 32;
};

// A matrix (K, N), rounded and restored to floats. Embeddings (ids, C) are rounded by rows, because
// each id is a column of the output matrix.
Tensor rounded(const Tensor& w, const Rounding& how, bool embedding = false);

// The signal-to-noise ratio 10 · log10(Σ w² / Σ (w − w')²), in dB: 6 dB more is half the error.
double signal_to_noise(const Tensor& w, const Tensor& restored);

// The bits per weight of a (rows, columns) matrix, including its scales of 16 bits.
double bits_of(const Rounding& how, std::int64_t rows, std::int64_t columns);

}  // namespace tbt
